"""Reports of compiled programs: times, collectives, instructions, profiles, shardings."""
