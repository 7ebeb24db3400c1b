(* Which terms are one, by the rows that lemmas of a certificate name: x * 1 is x, 2 + 3 is 5 (checker/kernel/identities.def has the
   same rows). To be believed is [instance]: the two terms that it gives have one value for PyTorch's operators. *)
open Form

type form = Stays | Folds | Numbered
type row = { name : string; form : form; ops : string list; value : int; fold : char; either : bool; scaled : bool;
             exact : string list; assumed : string list }
let integers = [ "i64"; "i32"; "i16"; "i8"; "i4"; "u64"; "u32"; "u16"; "u8"; "u4" ]
let reals = [ "f64"; "f32"; "f16"; "bf16" ]
let keeps name ops value either scaled exact assumed =
  { name; form = Stays; ops; value; fold = ' '; either; scaled; exact; assumed }
let folds (name, ops, fold) =
  { name = "fold-" ^ name; form = Folds; ops; value = 0; fold; either = false; scaled = false; exact = integers @ reals; assumed = [] }
let numbered (name, ops, more) =
  { name = "number-" ^ name; form = Numbered; ops; value = 0; fold = ' '; either = false; scaled = false;
    exact = integers @ reals @ more; assumed = [] }
let both op = [ "aten." ^ op; "prims." ^ op ]
let rows =
  [ keeps "add-zero" (both "add") 0 true true (integers @ [ "bool" ]) reals;
    keeps "sub-zero" (both "sub") 0 false true (integers @ reals) [];
    keeps "mul-one" (both "mul") 1 true false (integers @ reals @ [ "bool" ]) [];
    keeps "div-one" [ "aten.div" ] 1 false false reals [];
    keeps "pow-one" [ "aten.pow" ] 1 false false (integers @ reals) [] ]
  @ List.map folds
      [ ("add", both "add", '+'); ("sub", both "sub", '-'); ("mul", both "mul", '*'); ("neg", both "neg", 'n');
        ("max", [ "aten.maximum" ], 'M'); ("min", [ "aten.minimum" ], 'm'); ("eq", [ "aten.eq" ], '='); ("ne", [ "aten.ne" ], '!');
        ("lt", [ "aten.lt" ], '<'); ("le", [ "aten.le" ], 'l'); ("gt", [ "aten.gt" ], '>'); ("ge", [ "aten.ge" ], 'g') ]
  @ List.map numbered
      ([ ("add", both "add", []); ("sub", both "sub", []); ("mul", both "mul", []); ("max", [ "aten.maximum" ], []);
         ("min", [ "aten.minimum" ], []) ]
       @ List.map (fun n -> (n, [ "aten." ^ n ], [ "bool" ])) [ "eq"; "ne"; "lt"; "le"; "gt"; "ge" ])

(* --- numbers of types --- *)
let most = 1 lsl 40   (* numbers beyond it are left alone, so that nothing overflows here *)
let real ty = List.mem ty reals
(* The type holds all whole numbers below 2 to this, and -2 to this, if it has a sign. *)
let bits ty = match ty with
  | "f64" -> 53 | "f32" -> 24 | "f16" -> 11 | "bf16" -> 8 | "bool" -> 1
  | "i64" -> 63 | "i32" -> 31 | "i16" -> 15 | "i8" -> 7 | "i4" -> 3
  | "u64" -> 64 | "u32" -> 32 | "u16" -> 16 | "u8" -> 8 | "u4" -> 4 | _ -> 0
let holds ty n =
  let sign = real ty || ty.[0] = 'i' and b = bits ty in
  b > 0 && (n >= 0 || sign) && abs n < most && (b > 41 || (n >= -(1 lsl b) && n < 1 lsl b))
(* A whole number, which -0 is not; "2f" is one of real types. *)
let whole text ty =
  let n = String.length text in
  let text = if n > 1 && text.[n - 1] = 'f' && real ty then String.sub text 0 (n - 1) else text in
  match text with
  | "true" -> Some 1
  | "false" -> Some 0
  | _ -> match int_of_string_opt text with
    | Some k when string_of_int k = text && abs k < most -> Some k
    | _ -> None
(* Is a number the same in [to_], whether or not it was one of [between], which holds all of its type? *)
let passes from between to_ =
  let width ty = match ty with "f64" -> 64 | "f32" -> 32 | _ -> 16 in
  let all = integers @ reals @ [ "bool" ] in
  let holds_all wide ty =
    if real ty then real wide && width wide >= 32 && width wide > width ty
    else let n = bits ty in n > 0 && n < 40 && holds wide ((1 lsl n) - 1) && (ty.[0] <> 'i' || holds wide (-(1 lsl n))) in
  let known = List.mem to_ (all @ [ "f8e4m3fn"; "f8e5m2" ]) in
  List.mem from all && holds_all between from
  && (to_ = from || (known && (to_.[0] = 'f' || to_ = "bf16" || to_ = "bool" || not (real between) || ((not (real from)) && holds_all to_ from))))
let folded op a b reals_ =
  let told c = Some (if c then 1 else 0) in
  match op with
  | '+' -> Some (a + b)
  | '-' -> Some (a - b)
  | 'n' -> if reals_ && a = 0 then None else Some (-a)
  | '*' -> if abs a >= 1 lsl 20 || abs b >= 1 lsl 20 || (reals_ && a * b = 0 && (a < 0 || b < 0)) then None else Some (a * b)
  | 'M' -> Some (max a b)
  | 'm' -> Some (min a b)
  | '=' -> told (a = b) | '!' -> told (a <> b) | '<' -> told (a < b) | 'l' -> told (a <= b) | '>' -> told (a > b)
  | _ -> told (a >= b)

(* --- a key: operator, arguments, "alpha=2", "on cuda" --- *)
type call = { op : string; arguments : string list; alpha : int; plain : bool }
let call_of key =
  let parts = String.split_on_char ';' key in
  let op = match String.split_on_char '.' (List.hd parts) with a :: b :: _ -> a ^ "." ^ b | _ -> List.hd parts in
  let last = List.length parts - 1 in
  let take (k, c) part =
    let alpha = if String.length part > 6 && String.sub part 0 6 = "alpha=" then whole (String.sub part 6 (String.length part - 6)) "i64" else None in
    (k + 1, if part = "T" || whole part "f64" <> None then
       { c with arguments = c.arguments @ [ part ]; plain = c.plain && List.length c.arguments + 1 = k }
     else match alpha with
       | Some alpha -> { c with alpha }
       | None -> { c with plain = c.plain && k = last && String.length part > 3 && String.sub part 0 3 = "on " }) in
  snd (List.fold_left take (1, { op; arguments = []; alpha = 1; plain = true }) (List.tl parts))
(* which read argument k is, if it is a tensor *)
let read_of c k = List.length (List.filter (fun a -> a = "T") (first k c.arguments))

(* --- an instance --- *)
(* [Same j]: what is stored is read j; [One text]: a scalar; [Op (key, js)]: what the operator of this key makes of reads js.
   The scalars are those that reads have to hold for that, by number. *)
type result = Same of int | One of string | Op of string * int list
type instance = { numbers : (int * string) list; is : result }
exception Other
let must c = if not c then raise Other

let scalar_of held read ty = match held read with
  | Some text ->
    let prefix = ty ^ ":" in
    let n = String.length prefix in
    must (String.length text > n && String.sub text 0 n = prefix);
    (match whole (String.sub text n (String.length text - n)) ty with Some v -> (v, [ (read, text) ]) | None -> raise Other)
  | None -> raise Other
(* the number of argument k, and the reads that have to hold it *)
let number_of c held ty k =
  let text = List.nth c.arguments k in
  if text = "T" then scalar_of held (read_of c k) ty
  else match whole text ty with Some v -> (v, []) | None -> raise Other
let replaced key c k by =
  let parts = String.split_on_char ';' key in
  must (List.nth parts (k + 1) = List.nth c.arguments k);
  String.concat ";" (List.mapi (fun j p -> if j = k + 1 then by else p) parts)
let keeping row c held k types written =
  must (List.nth c.arguments k = "T" && List.length c.arguments = 2);
  let j = read_of c k in
  let ty = List.nth types j in
  let times = row.scaled && k = 0 && (c.alpha > 0 || (not (real ty)) || List.mem ty row.assumed) in
  let value, numbers = number_of c held ty (1 - k) in
  must ((k = 0 || row.either) && (c.alpha = 1 || times) && written = ty && value = row.value);
  { numbers; is = Same j }
let counted row key c held k types written =
  let ty = List.hd types in
  must (List.for_all (fun t -> t = ty) types);
  let number j = let v, numbers = number_of c held ty j in must (holds ty v); (v, numbers) in
  let a, of_a = number k in
  if row.form = Numbered then begin
    must (List.length types = 2 && List.nth c.arguments k = "T");
    { numbers = of_a; is = Op (replaced key c k (string_of_int a), [ 1 - k ]) }
  end else begin
    let b, of_b = if row.fold = 'n' then (0, []) else number 1 in
    let compares = String.contains "=!<l>g" row.fold in
    must (k = 0 && c.alpha = 1 && written = (if compares then "bool" else ty));
    match folded row.fold a b (real ty) with
    | Some v when holds written v -> { numbers = of_a @ of_b; is = One (written ^ ":" ^ string_of_int v) }
    | _ -> raise Other
  end
(* A step of elements without bodies, of this key, that reads these types and writes that one; [held]: the scalar that a
   read seems to hold everywhere. [k]: the argument that is meant. *)
let instance name key types written held k assumptions =
  match List.find_opt (fun r -> r.name = name) rows with
  | None -> raise Other
  | Some row ->
    let c = call_of key in
    let taken = if row.fold = 'n' then 1 else 2 in
    must (types <> [] && c.plain && k < taken && List.length c.arguments = taken && read_of c taken = List.length types && List.mem c.op row.ops);
    let ty = List.nth types (min (read_of c k) (List.length types - 1)) in
    let assumption = Printf.sprintf "-0 counts as 0 in %s with %d" c.op row.value in
    must (List.mem ty row.exact || (List.mem ty row.assumed && List.mem assumption assumptions));
    if row.form = Stays then keeping row c held k types written else counted row key c held k types written
