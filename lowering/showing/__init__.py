"""Programs as pictures: pages, text and graphs, with the user's lines and what each of them costs."""
