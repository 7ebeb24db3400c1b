(* nc-recheck [--table] CERTIFICATE...: decides again with the function `accepts`, which Sound.v proves right.
   What is outside of what it knows is refused by name. Exit code: 0 proved, 3 not proved, 2 unreadable. *)
open Core
open Text

exception Outside of string
let outside what = raise (Outside what)
let when_ is what = if is then outside what

(* --- numbers of OCaml as those of Core --- *)
let rec pos n = if n = 1 then XH else if n land 1 = 1 then XI (pos (n lsr 1)) else XO (pos (n lsr 1))
let nn n = if n = 0 then N0 else Npos (pos n)
let zz n = if n = 0 then Z0 else if n > 0 then Zpos (pos n) else Zneg (pos (-n))
let rec nat n = if n = 0 then O else S (nat (n - 1))
let add k v m = PositiveMap.add (pos (k + 1)) v m
let table xs = List.fold_left (fun (k, m) x -> (k + 1, add k x m)) (0, PositiveMap.Leaf) xs |> snd

(* Words are numbers: equal ones for equal words. *)
let words : (string, int) Hashtbl.t = Hashtbl.create 997
let intern s = nn (match Hashtbl.find_opt words s with
  | Some k -> k
  | None -> let k = Hashtbl.length words in Hashtbl.add words s k; k)

(* --- the tables of numbers: equal lines are one number; sums without atoms are constants --- *)
type numbers = { place : int array; bad : bool array; consts : z PositiveMap.t }
let numbers_of (c : certificate) =
  let n = List.length c.numbers in
  let place = Array.init n Fun.id and bad = Array.make n false and seen = Hashtbl.create 997 and consts = ref PositiveMap.Leaf in
  let at k = if k < n then place.(k) else raise (Unreadable "a number of the table") in
  let line = function
    | Func (f, xs) -> Func (f, List.map at xs)
    | Index (p, e) -> Index (p, at e)
    | Quotient (p, d) -> Quotient (at p, at d)
    | Sum ts -> Sum (List.map (fun (k, xs) -> (k, List.map at xs)) ts)
    | other -> other in
  List.iteri (fun k x ->
    let x = line x in
    (match x, Hashtbl.find_opt seen x with
     | Bad, _ -> bad.(k) <- true
     | _, Some first -> place.(k) <- first
     | _, None -> Hashtbl.add seen x k);
    if place.(k) = k then match x with
      | Sum [] -> consts := add k (zz 0) !consts
      | Sum [ (v, []) ] -> consts := add k (zz v) !consts
      | _ -> ()) c.numbers;
  { place; bad; consts = !consts }

(* --- Traces --- *)
type side = { whole : Text.trace; core : Core.trace; writes : (int, (int * int) array) Hashtbl.t }
let num ns k =
  if k >= Array.length ns.place then raise (Unreadable "a number of the table");
  when_ ns.bad.(k) "a number that was not computed";
  nn ns.place.(k)
let nums ns xs = List.map (num ns) xs
let map_of ns = function
  | Affine m -> Aff (nums ns m.from, nums ns m.dest, nums ns m.start,
                     List.map (fun (t, f, by) -> ((nn t, nn f), num ns by)) m.factors)
  | Reshape m -> Resh (nums ns m.from, nums ns m.dest, List.map (fun (a, b) -> (nn a, nn b)) m.groups)
let form_of ns (f : view_form) = (intern f.ty, nums ns f.shape, List.map (map_of ns) f.maps, f.lanes)
let view_of forms (v : Text.view) =
  when_ (v.form >= Array.length forms) "a form that is not in the table";
  let ty, shape, maps, lanes = forms.(v.form) in
  when_ (lanes > 0) "bytes of elements";
  { v_st = nn v.storage; v_ty = ty; v_sh = shape; v_maps = maps }
let access_of = function 0 -> AnyTime | 1 -> ElementWise | _ -> BeforeWrite
let rec split n xs = if n = 0 then ([], xs) else match xs with
  | [] -> ([], []) | x :: r -> let a, b = split (n - 1) r in (x :: a, b)
let step_of forms steps (s : Text.step) =
  let f : step_form = steps.(s.step_form) in
  when_ (f.bodies <> []) "bodies of loops";
  when_ (s.means <> []) "what a name means";
  let reads, writes = split f.reads (List.map (view_of forms) s.views) in
  { s_kind = (match f.kind with 0 -> Move | 1 -> Fill | _ -> Opaque); s_key = intern f.key; s_elem = f.each;
    s_reads = reads; s_writes = writes; s_acc = List.map (List.map access_of) f.access }
let output_of ns forms strides (o : Text.output) =
  when_ (o.meant <> None) "what a name means";
  { o_view = Option.map (view_of forms) o.shows; o_scalar = intern o.scalar;
    o_strides = (if strides && o.known && o.shows <> None then Some (nums ns o.strides) else None) }
let writes_of (t : Text.trace) (steps : step_form array) =
  let all = Hashtbl.create 97 in
  List.iteri (fun k (s : Text.step) ->
    let f = steps.(s.step_form) in
    List.iteri (fun j (v : Text.view) -> if j >= f.reads then
      Hashtbl.replace all v.storage ((k, j - f.reads) :: Option.value ~default:[] (Hashtbl.find_opt all v.storage))) s.views) t.steps;
  let out = Hashtbl.create 97 in
  Hashtbl.iter (fun s l -> Hashtbl.replace out s (Array.of_list (List.rev l))) all; out
let storage_of ns forms (form, key) =
  when_ (form >= Array.length forms) "a form that is not in the table";
  let f : storage_form = forms.(form) in
  when_ (f.bytes > 0) "bytes of elements";
  { st_start = nn f.start; st_key = intern key; st_sh = nums ns f.extents; st_wr = f.writable; st_cmp = f.compared }
let side_of (c : certificate) ns strides (t : Text.trace) =
  let forms = Array.of_list (List.map (form_of ns) c.view_forms) and steps = Array.of_list c.step_forms in
  let storages = Array.of_list c.storage_forms in
  when_ (t.unknown <> []) "what was not understood";
  when_ (t.any_order) "every order that edges allow";
  when_ (t.placements <> []) "placements";
  List.iter (fun (_, _, said, computed) -> when_ (num ns said <> num ns computed) "a claim of other numbers") t.claims;
  { whole = t; writes = writes_of t steps;
    core = { t_st = table (List.map (storage_of ns storages) t.storages); t_nst = nn (List.length t.storages);
             t_steps = table (List.map (step_of forms steps) t.steps); t_n = nn (List.length t.steps);
             t_in = List.map (fun (n, v) -> (intern n, view_of forms v)) t.inputs;
             t_out = List.map (output_of ns forms strides) t.outputs } }

(* --- lemmas: versions become times --- *)
let ordered side s = Option.value ~default:[||] (Hashtbl.find_opt side.writes s)
let time side s version =
  let all = ordered side s in
  when_ (version > Array.length all) "a lemma of no version";
  if version = 0 then 0 else
  let step = fst all.(version - 1) in
  when_ (version < Array.length all && fst all.(version) = step) "two writes of one step into one storage";
  step + 1
let version side s before =
  let all = ordered side s in
  let rec go k = if k < Array.length all && fst all.(k) < before then go (k + 1) else k in go 0
(* (storage, version) after each of the n latest writes, the latest first; a move of a whole storage leads on *)
let latest side steps s v n =
  let rec go s v n acc =
    if n = 0 then List.rev acc else begin
      when_ (v <= 0) "a lemma of no write";
      let step, slot = (ordered side s).(v - 1) in
      let st : Core.step = Option.get (PositiveMap.find (pos (step + 1)) steps) in
      let w = List.nth st.s_writes slot in
      match st.s_kind, st.s_reads with
      | Move, r :: _ when w.v_maps = [] && r.v_maps = [] && w.v_ty = r.v_ty ->
        let rec int_of = function XH -> 1 | XO p -> 2 * int_of p | XI p -> (2 * int_of p) + 1 in
        let from = (match r.v_st with N0 -> 0 | Npos p -> int_of p) in
        go from (version side from step) n acc
      | _ -> go s (v - 1) (n - 1) ((s, v) :: acc)
    end in
  go s v n []
let same_of b a (p, q) (r, s) = LSame (nn p, nn (time b p q), nn r, nn (time a r s))
let writes_lemma b a (l : Text.lemma) =
  let n = List.length l.order in
  when_ (l.order <> List.init n Fun.id) "writes in another order";
  let xs = latest b b.core.t_steps l.a l.b n and ys = latest a a.core.t_steps l.c l.d n in
  let one (s, v) (s', v') = LWrite (nn s, nn (time b s v), nn s', nn (time a s' v')) in
  let all = List.rev (List.map2 one xs ys) in
  if List.hd xs = (l.a, l.b) && List.hd ys = (l.c, l.d) then all else all @ [ same_of b a (l.a, l.b) (l.c, l.d) ]
let fresh side s = match PositiveMap.find (pos (s + 1)) side.core.t_st with Some x -> x.st_start = nn 1 | None -> false
let lemma_of alike b a (l : Text.lemma) = match l.what with
  | 0 -> [ LCall (nn l.a, nn l.c) ]
  | 1 when l.b = 0 && l.d = 0 && not alike && fresh b l.a && fresh a l.c -> []
  | 1 -> [ same_of b a (l.a, l.b) (l.c, l.d) ]
  | 2 -> writes_lemma b a l
  | _ -> outside "identities"

(* --- the verdict --- *)
let depth = nat 60 and fuel = nat 5000
type verdict = Accepted of bool | Refused | Out of string
let decide_one c ns (one : check) =
  when_ (one.claimed <> []) "the word of a solver";
  when_ (one.may_share <> [] && not one.grow) "outputs that the caller makes anew";
  when_ (not one.shrink) "sharing that may not shrink";
  let after = side_of c ns one.compare_strides one.after in
  let before = match one.before with Some t -> side_of c ns one.compare_strides t | None -> after in
  let attempt alike =
    let lemmas = List.concat_map (lemma_of alike before after) one.lemmas in
    accepts ns.consts alike one.grow before.core after.core lemmas depth fuel in
  if attempt false then Accepted false
  else if one.before <> None && attempt true then Accepted true
  else Refused
let decide file =
  Hashtbl.reset words;
  let text = let ch = open_in_bin file in
    let s = really_input_string ch (in_channel_length ch) in close_in ch; s in
  if String.length text > 15 && String.sub text 0 15 = "noclobber.plan/" then [ ("", Out "a plan that is a table") ] else
  let c = Text.read text in
  if c.refutation <> None then [ (c.subject, Out "a refutation") ] else
  let ns = numbers_of c in
  List.map (fun one -> (one.called, try decide_one c ns one with Outside what -> Out what)) c.checks
let words_of = function
  | Accepted false -> "accepted"
  | Accepted true -> "accepted, fresh storages alike"
  | Refused -> "not shown"
  | Out what -> "outside: " ^ what
let () =
  let names = List.tl (Array.to_list Sys.argv) in
  let table = List.mem "--table" names in
  let files = List.filter (fun n -> n <> "--table") names in
  let code = ref 0 in
  List.iter (fun file ->
    match decide file with
    | exception Unreadable why -> code := max !code 2; Printf.printf "%s\t-\tunreadable: %s\n" file why
    | all ->
      List.iter (fun (key, v) ->
        (match v with Accepted _ -> () | _ -> if !code = 0 then code := 3);
        if table then Printf.printf "%s\t%s\t%s\n" file key (words_of v)) all;
      if not table then
        match List.find_opt (fun (_, v) -> match v with Accepted _ -> false | _ -> true) all with
        | None -> Printf.printf "proved: %d checks; %s\n" (List.length all) file
        | Some (key, v) -> Printf.printf "not proved: %s: %s; %s\n" key (words_of v) file) files;
  exit !code
