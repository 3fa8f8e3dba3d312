"""The public names of `effects`, each with the module that has it; this list is the only one."""

from effects import (
    fft as fft,
    image as image,
    integrate as integrate,
    linalg as linalg,
    nn as nn,
    optim as optim,
    optimize as optimize,
    random as random,
    signal as signal,
    special as special,
    stats as stats,
)
from effects.arrays.array import (
    BF16 as BF16,
    C64 as C64,
    C128 as C128,
    F16 as F16,
    F32 as F32,
    F64 as F64,
    I8 as I8,
    I16 as I16,
    I32 as I32,
    I64 as I64,
    U8 as U8,
    U16 as U16,
    U32 as U32,
    U64 as U64,
    Arr as Arr,
    Array as Array,
    ArrayLike as ArrayLike,
    Bool as Bool,
    Carrier as Carrier,
    Float as Float,
    Int as Int,
    Like as Like,
    Scalar as Scalar,
)
from effects.arrays.concrete import Concrete as Concrete
from effects.check.contracts import shaped as shaped
from effects.errors import (
    ArgumentError as ArgumentError,
    BrokenLawError as BrokenLawError,
    CompileError as CompileError,
    ConcretizationError as ConcretizationError,
    DeletedArrayError as DeletedArrayError,
    DepthError as DepthError,
    DeviceError as DeviceError,
    DTypeError as DTypeError,
    EffaxError as EffaxError,
    FileError as FileError,
    IllTyped as IllTyped,
    KeyReuseError as KeyReuseError,
    LeakedValueError as LeakedValueError,
    LinearAlgebraError as LinearAlgebraError,
    MissingFileError as MissingFileError,
    MissingRule as MissingRule,
    NotAddressableError as NotAddressableError,
    NotFiniteError as NotFiniteError,
    NotLinearError as NotLinearError,
    NotScalarError as NotScalarError,
    OutOfBoundsError as OutOfBoundsError,
    OutOfMemoryError as OutOfMemoryError,
    ShapeError as ShapeError,
    TreeError as TreeError,
    UnboundAxisError as UnboundAxisError,
    UnhandledEffectError as UnhandledEffectError,
    UnhashableError as UnhashableError,
    UnknownAttribute as UnknownAttribute,
    UnknownImport as UnknownImport,
    UnsupportedVersion as UnsupportedVersion,
)
from effects.files.saving import load as load, save as save
from effects.functions.aliases import (
    amax as amax,
    amin as amin,
    arccos as arccos,
    arccosh as arccosh,
    arcsin as arcsin,
    arcsinh as arcsinh,
    arctan as arctan,
    arctan2 as arctan2,
    arctanh as arctanh,
    around as around,
    asanyarray as asanyarray,
    bitwise_not as bitwise_not,
    concatenate as concatenate,
    conjugate as conjugate,
    degrees as degrees,
    fix as fix,
    invert as invert,
    left_shift as left_shift,
    mod as mod,
    power as power,
    radians as radians,
    right_shift as right_shift,
    transpose as transpose,
    true_divide as true_divide,
)
from effects.functions.creation.constants import (
    __array_api_version__ as __array_api_version__,
    bool as bool,
    e as e,
    inf as inf,
    nan as nan,
    newaxis as newaxis,
    pi as pi,
)
from effects.functions.creation.creation import (
    SupportsDLPack as SupportsDLPack,
    array as array,
    asarray as asarray,
    empty as empty,
    empty_like as empty_like,
    eye as eye,
    from_dlpack as from_dlpack,
    full as full,
    full_like as full_like,
    iota as iota,
    ones as ones,
    ones_like as ones_like,
    zeros as zeros,
    zeros_like as zeros_like,
)
from effects.functions.creation.grids import (
    indices as indices,
    ix_ as ix_,
    meshgrid as meshgrid,
    ravel_multi_index as ravel_multi_index,
    unravel_index as unravel_index,
)
from effects.functions.creation.sequences import (
    arange as arange,
    geomspace as geomspace,
    linspace as linspace,
    logspace as logspace,
)
from effects.functions.creation.triangles import (
    diag as diag,
    diag_indices as diag_indices,
    diag_indices_from as diag_indices_from,
    diagflat as diagflat,
    fill_diagonal as fill_diagonal,
    identity as identity,
    mask_indices as mask_indices,
    tri as tri,
    tril_indices as tril_indices,
    tril_indices_from as tril_indices_from,
    triu_indices as triu_indices,
    triu_indices_from as triu_indices_from,
    vander as vander,
)
from effects.functions.data_types import (
    FloatInfo as FloatInfo,
    IntInfo as IntInfo,
    NamespaceInfo as NamespaceInfo,
    __array_namespace_info__ as __array_namespace_info__,
    can_cast as can_cast,
    common_type as common_type,
    finfo as finfo,
    iinfo as iinfo,
    isdtype as isdtype,
    result_type as result_type,
)
from effects.functions.elementwise.arithmetic import (
    add as add,
    atan2 as atan2,
    bitwise_and as bitwise_and,
    bitwise_left_shift as bitwise_left_shift,
    bitwise_or as bitwise_or,
    bitwise_right_shift as bitwise_right_shift,
    bitwise_xor as bitwise_xor,
    complex as complex,
    copysign as copysign,
    divide as divide,
    floor_divide as floor_divide,
    hypot as hypot,
    logaddexp as logaddexp,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    nextafter as nextafter,
    pow as pow,
    remainder as remainder,
    subtract as subtract,
)
from effects.functions.elementwise.bits import bitwise_count as bitwise_count, view as view
from effects.functions.elementwise.closeness import (
    allclose as allclose,
    array_equal as array_equal,
    array_equiv as array_equiv,
    copy as copy,
    isclose as isclose,
    iscomplex as iscomplex,
    iscomplexobj as iscomplexobj,
    isneginf as isneginf,
    isposinf as isposinf,
    isreal as isreal,
    isrealobj as isrealobj,
    isscalar as isscalar,
    ndim as ndim,
    shape as shape,
    size as size,
)
from effects.functions.elementwise.floating_point import (
    frexp as frexp,
    ldexp as ldexp,
    modf as modf,
    spacing as spacing,
)
from effects.functions.elementwise.further import (
    angle as angle,
    deg2rad as deg2rad,
    divmod as divmod,
    fabs as fabs,
    float_power as float_power,
    fmax as fmax,
    fmin as fmin,
    fmod as fmod,
    heaviside as heaviside,
    logaddexp2 as logaddexp2,
    nan_to_num as nan_to_num,
    rad2deg as rad2deg,
    real_if_close as real_if_close,
    rint as rint,
    sinc as sinc,
    unwrap as unwrap,
)
from effects.functions.elementwise.logic import (
    clip as clip,
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    not_equal as not_equal,
)
from effects.functions.elementwise.rational import gcd as gcd, lcm as lcm
from effects.functions.elementwise.transcendental import (
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atanh as atanh,
    cbrt as cbrt,
    cos as cos,
    cosh as cosh,
    erf as erf,
    exp as exp,
    exp2 as exp2,
    expm1 as expm1,
    log as log,
    log1p as log1p,
    log2 as log2,
    log10 as log10,
    logistic as logistic,
    rsqrt as rsqrt,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    tan as tan,
    tanh as tanh,
)
from effects.functions.elementwise.unary import (
    abs as abs,
    absolute as absolute,
    astype as astype,
    bitwise_invert as bitwise_invert,
    ceil as ceil,
    conj as conj,
    floor as floor,
    imag as imag,
    isfinite as isfinite,
    isinf as isinf,
    isnan as isnan,
    negative as negative,
    positive as positive,
    real as real,
    reciprocal as reciprocal,
    round as round,
    sign as sign,
    signbit as signbit,
    square as square,
    trunc as trunc,
)
from effects.functions.functional import apply_over_axes as apply_over_axes, fromfunction as fromfunction
from effects.functions.indexing.selecting import extract as extract, piecewise as piecewise, select as select
from effects.functions.indexing.slicing import (
    dynamic_index_in_dim as dynamic_index_in_dim,
    dynamic_slice as dynamic_slice,
    dynamic_slice_in_dim as dynamic_slice_in_dim,
    dynamic_update_index_in_dim as dynamic_update_index_in_dim,
    dynamic_update_slice as dynamic_update_slice,
    dynamic_update_slice_in_dim as dynamic_update_slice_in_dim,
)
from effects.functions.indexing.taking import (
    choose as choose,
    compress as compress,
    put_along_axis as put_along_axis,
    take as take,
    take_along_axis as take_along_axis,
)
from effects.functions.manipulation.diagonals import diagonal as diagonal, tril as tril, triu as triu
from effects.functions.manipulation.insertion import (
    delete as delete,
    insert as insert,
    resize as resize,
    trim_zeros as trim_zeros,
)
from effects.functions.manipulation.joining import (
    append as append,
    atleast_1d as atleast_1d,
    atleast_2d as atleast_2d,
    atleast_3d as atleast_3d,
    block as block,
    column_stack as column_stack,
    dstack as dstack,
    hstack as hstack,
    vstack as vstack,
)
from effects.functions.manipulation.movement import (
    broadcast_to as broadcast_to,
    concat as concat,
    expand_dims as expand_dims,
    flip as flip,
    matrix_transpose as matrix_transpose,
    moveaxis as moveaxis,
    permute_dims as permute_dims,
    reshape as reshape,
    squeeze as squeeze,
    stack as stack,
    swapaxes as swapaxes,
    unstack as unstack,
)
from effects.functions.manipulation.packing import packbits as packbits, unpackbits as unpackbits
from effects.functions.manipulation.padding import pad as pad
from effects.functions.manipulation.reordering import (
    fliplr as fliplr,
    flipud as flipud,
    ravel as ravel,
    roll as roll,
    rollaxis as rollaxis,
    rot90 as rot90,
)
from effects.functions.manipulation.repetition import (
    broadcast_arrays as broadcast_arrays,
    broadcast_shapes as broadcast_shapes,
    repeat as repeat,
    tile as tile,
)
from effects.functions.manipulation.splitting import (
    array_split as array_split,
    dsplit as dsplit,
    hsplit as hsplit,
    split as split,
    vsplit as vsplit,
)
from effects.functions.ordering.searching import (
    argwhere as argwhere,
    digitize as digitize,
    flatnonzero as flatnonzero,
    isin as isin,
    nonzero as nonzero,
    searchsorted as searchsorted,
    where as where,
)
from effects.functions.ordering.set_operations import (
    intersect1d as intersect1d,
    setdiff1d as setdiff1d,
    setxor1d as setxor1d,
    union1d as union1d,
)
from effects.functions.ordering.sets import (
    UniqueAll as UniqueAll,
    UniqueCounts as UniqueCounts,
    UniqueInverse as UniqueInverse,
    unique as unique,
    unique_all as unique_all,
    unique_counts as unique_counts,
    unique_inverse as unique_inverse,
    unique_values as unique_values,
)
from effects.functions.ordering.sorting import (
    argpartition as argpartition,
    argsort as argsort,
    lexsort as lexsort,
    partition as partition,
    sort as sort,
    sort_complex as sort_complex,
    sort_together as sort_together,
    top_k as top_k,
)
from effects.functions.polynomials.coefficients import (
    convolve as convolve,
    correlate as correlate,
    poly as poly,
    polyadd as polyadd,
    polyder as polyder,
    polyint as polyint,
    polymul as polymul,
    polysub as polysub,
    polyval as polyval,
)
from effects.functions.polynomials.fitting import (
    PolyfitResult as PolyfitResult,
    polydiv as polydiv,
    polyfit as polyfit,
    roots as roots,
)
from effects.functions.products.contraction import (
    dot_general as dot_general,
    kron as kron,
    matmul as matmul,
    outer as outer,
    tensordot as tensordot,
    trace as trace,
    vecdot as vecdot,
)
from effects.functions.products.einsum import einsum as einsum, einsum_path as einsum_path
from effects.functions.products.ragged import ragged_dot as ragged_dot
from effects.functions.products.vectors import (
    cross as cross,
    dot as dot,
    inner as inner,
    matvec as matvec,
    vdot as vdot,
    vecmat as vecmat,
)
from effects.functions.reductions.cumulative import (
    cumlogsumexp as cumlogsumexp,
    cummax as cummax,
    cummin as cummin,
    cumprod as cumprod,
    cumsum as cumsum,
    cumulative_prod as cumulative_prod,
    cumulative_sum as cumulative_sum,
)
from effects.functions.reductions.differences import (
    diff as diff,
    ediff1d as ediff1d,
    gradient as gradient,
    trapezoid as trapezoid,
)
from effects.functions.reductions.exponentials import (
    log_softmax as log_softmax,
    logsumexp as logsumexp,
    softmax as softmax,
)
from effects.functions.reductions.nan_reductions import (
    nanargmax as nanargmax,
    nanargmin as nanargmin,
    nancumprod as nancumprod,
    nancumsum as nancumsum,
    nanmax as nanmax,
    nanmean as nanmean,
    nanmin as nanmin,
    nanprod as nanprod,
    nanstd as nanstd,
    nansum as nansum,
    nanvar as nanvar,
)
from effects.functions.reductions.reduction import (
    all as all,
    any as any,
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
    max as max,
    min as min,
    prod as prod,
    sum as sum,
)
from effects.functions.reductions.segments import (
    bincount as bincount,
    segment_max as segment_max,
    segment_min as segment_min,
    segment_prod as segment_prod,
    segment_sum as segment_sum,
)
from effects.functions.statistics.covariance import average as average, corrcoef as corrcoef, cov as cov, ptp as ptp
from effects.functions.statistics.histograms import (
    histogram as histogram,
    histogram2d as histogram2d,
    histogram_bin_edges as histogram_bin_edges,
    histogramdd as histogramdd,
    interp as interp,
)
from effects.functions.statistics.moments import mean as mean, std as std, var as var
from effects.functions.statistics.quantiles import (
    median as median,
    nanmedian as nanmedian,
    nanpercentile as nanpercentile,
    nanquantile as nanquantile,
    percentile as percentile,
    quantile as quantile,
)
from effects.functions.windows.convolution import conv as conv, conv_transpose as conv_transpose
from effects.functions.windows.pooling import (
    reduce as reduce,
    reduce_window as reduce_window,
    window_max as window_max,
    window_min as window_min,
    window_prod as window_prod,
    window_sum as window_sum,
)
from effects.functions.windows.window_functions import (
    bartlett as bartlett,
    blackman as blackman,
    hamming as hamming,
    hanning as hanning,
    kaiser as kaiser,
)
from effects.program.chain import (
    Handler as Handler,
    Performed as Performed,
    chain as chain,
    each_result as each_result,
    perform as perform,
)
from effects.program.checking import check_jaxpr as check_jaxpr
from effects.program.custom import CustomHigherOrder as CustomHigherOrder, CustomOp as CustomOp
from effects.program.jaxpr import Eqn as Eqn, Jaxpr as Jaxpr, Literal as Literal, Var as Var, eval_jaxpr as eval_jaxpr
from effects.program.operands import Operand as Operand, Operands as Operands
from effects.program.operation import (
    HigherOrder as HigherOrder,
    Kind as Kind,
    Multiple as Multiple,
    Operation as Operation,
    Single as Single,
    operation as operation,
)
from effects.requests.effect import Effect as Effect
from effects.requests.random import Random as Random
from effects.requests.standard import Ask as Ask, Choice as Choice, Output as Output, Raise as Raise, State as State
from effects.runtime.tracebacks import short_tracebacks as short_tracebacks
from effects.runtime.version import __version__ as __version__
from effects.special.bessel import i0 as i0
from effects.special.error import (
    erf_inv as erf_inv,
    erfc as erfc,
)
from effects.special.gamma import (
    digamma as digamma,
    lgamma as lgamma,
)
from effects.trees.functions import (
    Partial as Partial,
    Unravel as Unravel,
    ravel_pytree as ravel_pytree,
    tree_broadcast as tree_broadcast,
    tree_flatten_with_path as tree_flatten_with_path,
    tree_map_with_path as tree_map_with_path,
    tree_transpose as tree_transpose,
)
from effects.trees.keys import (
    DictKey as DictKey,
    FlattenedIndexKey as FlattenedIndexKey,
    GetAttrKey as GetAttrKey,
    SequenceKey as SequenceKey,
    path_str as path_str,
)
from effects.trees.pytree import (
    tree_flatten as tree_flatten,
    tree_leaves as tree_leaves,
    tree_leaves_with_path as tree_leaves_with_path,
    tree_map as tree_map,
    tree_structure as tree_structure,
    tree_unflatten as tree_unflatten,
)
from effects.trees.registration import (
    register as register,
    register_node as register_node,
)
from effects.types import dtypes as dtypes, shapes as shapes
from effects.types.avals import ShapedArray as ShapedArray
from effects.types.dtypes import (
    Complex as Complex,
    DType as DType,
    DTypeLike as DTypeLike,
    Floating as Floating,
    Inexact as Inexact,
    Integer as Integer,
    Num as Num,
    Signed as Signed,
    Unsigned as Unsigned,
    bf16 as bf16,
    bfloat16 as bfloat16,
    c64 as c64,
    c128 as c128,
    complex64 as complex64,
    complex128 as complex128,
    default_float as default_float,
    f16 as f16,
    f32 as f32,
    f64 as f64,
    float8_e4m3b11fnuz as float8_e4m3b11fnuz,
    float8_e4m3fn as float8_e4m3fn,
    float8_e4m3fnuz as float8_e4m3fnuz,
    float8_e5m2 as float8_e5m2,
    float8_e5m2fnuz as float8_e5m2fnuz,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    i8 as i8,
    i16 as i16,
    i32 as i32,
    i64 as i64,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    u8 as u8,
    u16 as u16,
    u32 as u32,
    u64 as u64,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
)
