(* nc-recheck [--table] [--equations] [--by-maps] CERTIFICATE...: decides again with the function `accepts`, which Sound.v proves right.
   What is outside of what it knows is refused by name. Exit code: 0 proved, 1 refuted, 3 neither, 2 unreadable. *)
open Core
open Text
open Form

let map f l = List.rev (List.rev_map f l)   (* lists may be long *)
let mapi f l = let k = ref (-1) in map (fun x -> incr k; f !k x) l
let outside what = raise (Outside what)
let by_maps = ref false   (* nothing is compared element by element *)
let found : string list ref = ref []   (* all that is outside of what is known, so that a report names it all *)
let when_ is what = if is && not (List.mem what !found) then found := what :: !found
let settled () = match !found with
  | [] -> ()
  | all -> outside (String.concat "; " (List.sort compare all))

(* --- numbers of OCaml as those of Core --- *)
let made : positive array ref = ref [||]   (* those that were made before, where the text is long *)
let rec pos n =
  if n = 1 then XH else if n < Array.length !made then match !made.(n) with
    | XH -> let p = half n in !made.(n) <- p; p
    | p -> p
  else half n
and half n = if n land 1 = 1 then XI (pos (n lsr 1)) else XO (pos (n lsr 1))
let nn n = if n = 0 then N0 else Npos (pos n)
let zz n = if n = 0 then Z0 else if n > 0 then Zpos (pos n) else Zneg (pos (-n))
let rec nat n = if n = 0 then O else S (nat (n - 1))
let add k v m = PM.add (pos (k + 1)) v m
(* xs.(k) at place k, in blocks as PM.add makes them: of block q the places 16 q to 16 q + 15, and of the first those below 16. Below
   a node whose last bits are b, d of them, stand those that end with these; bit is 2 to the d. *)
let table xs =
  let xs = Array.of_list xs in
  let n = Array.length xs in
  let rec block q b bit =
    if bit = 16 then if 16 * q + b <= n then PositiveMap.Node (Leaf, Some xs.(16 * q + b - 1), Leaf) else Leaf
    else Node (block q b (2 * bit), (if q = 1 && bit + b <= n then Some xs.(bit + b - 1) else None), block q (b + bit) (2 * bit)) in
  let rec blocks b bit =
    if b + bit > max 1 (n / 16) then PositiveMap.Leaf
    else Node (blocks b (2 * bit), Some (block (b + bit) 0 1), blocks (b + bit) (2 * bit)) in
  blocks 0 1

(* Words are numbers: equal ones for equal words. *)
let words : (string, int) Hashtbl.t ref = ref (Hashtbl.create 1)
let intern s = nn (match Hashtbl.find_opt !words s with
  | Some k -> k
  | None -> let k = Hashtbl.length !words in Hashtbl.add !words s k; k)

let tagged tag parts = intern (tag ^ String.concat "" (List.map (fun s -> Printf.sprintf "%d:%s" (String.length s) s) parts))
(* What the table of numbers says: sums in normal form, and bounds of symbols and of facts. Those of indices are left out. *)
let known_numbers (c : certificate) ns =
  let all f = List.fold_left f PM.empty (List.filter (fun k -> ns.place.(k) = k && not (ns.bad.(k) || ns.indexed.(k))) (List.init (Array.length ns.place) Fun.id)) in
  let sum k = List.map (fun (factors, by) -> (zz by, List.map nn factors)) ns.polys.(k) in
  let ranges = Hashtbl.create 7 in
  List.iter (fun s -> Hashtbl.replace ranges s.called_so (s.least, s.most)) c.symbols;
  let bounds side = List.fold_left (fun m (k, n) -> match n with
    | Symbol name -> (match Option.bind (Option.bind (Hashtbl.find_opt ranges name) side) int_of_string_opt with
      | Some v -> add ns.place.(k) (zz v) m
      | None -> m)
    | _ -> m) PM.empty (List.mapi (fun k n -> (k, n)) c.numbers) in
  let fact m k =
    let k = ns.place.(k) in
    match PM.find (pos (k + 1)) m with Some (Zpos _) -> m | _ -> add k Z0 m in
  { n_sum = all (fun m k -> match ns.polys.(k) with [ ([ j ], 1) ] when j = k -> m | _ -> add k (sum k) m);
    n_low = List.fold_left fact (bounds fst) c.facts; n_high = bounds snd }

(* --- Traces --- *)
type side = { whole : Text.trace; steps : Text.step array; core : Core.trace; writes : (int * int) array array Lazy.t }
let num ns k = nn (place ns k)
let nums ns xs = List.map (num ns) xs
let map_of ns = function
  | Affine m -> Aff (nums ns m.from, nums ns m.dest, nums ns m.start,
                     List.map (fun (t, f, by) -> ((nn t, nn f), num ns by)) m.factors)
  | Reshape m -> Resh (nums ns m.from, nums ns m.dest, List.map (fun (a, b) -> (nn a, nn b)) m.groups)
(* seen: each form of a view as it was last, and of which form its storage was *)
type forms = { ns : numbers; views_of : view_form array; spaces : int array; storages_of : storage_form array;
               seen : (int * Core.view) option array; keys : n option array }
let view_of fs (v : Text.view) =
  if v.form >= Array.length fs.views_of then raise (Unreadable "a form of the table");
  if v.storage >= Array.length fs.spaces then raise (Unreadable "a storage of the trace");
  let of_storage = fs.spaces.(v.storage) in
  match fs.seen.(v.form) with
  | Some (other, w) when other = of_storage -> { w with v_st = nn v.storage }
  | _ ->
    let f = fs.views_of.(v.form) and s = fs.storages_of.(of_storage) in
    let w = { v_st = nn v.storage; v_ty = intern f.ty; v_sh = nums fs.ns (bytes_behind fs.ns f.lanes f.shape);
              v_maps = List.map (map_of fs.ns) (maps_from fs.ns s.extents s.bytes f) } in
    fs.seen.(v.form) <- Some (of_storage, w); w
let access_of = function 0 -> AnyTime | 1 -> ElementWise | _ -> BeforeWrite
(* A step with bodies is one operator in both graphs if all pairs of bodies are right: their keys are part of its own. *)
let shown_bodies : (string, bool) Hashtbl.t = Hashtbl.create 7   (* true: where fresh storages are alike *)
let alike_bodies = ref false
let key_of (f : step_form) =
  when_ (List.exists (fun b -> not (Hashtbl.mem shown_bodies b)) f.bodies) "a body that is not shown";
  if List.exists (fun b -> Hashtbl.find_opt shown_bodies b = Some true) f.bodies then alike_bodies := true;
  tagged "o" (f.key :: f.bodies)
(* What a byte becomes depends on all bytes of an element, and a scalar has several: where there are bytes, fills, casts and
   operators of elements are functions of all that is read, as are moves between bytes and whole elements. Other moves of
   one type carry each byte along. *)
let step_of forms steps accesses (s : Text.step) =
  let f : step_form = steps.(s.step_form) in
  let views = List.map (view_of forms) s.views in
  let reads = first f.reads views and writes = drop f.reads views in
  let lanes (v : Text.view) = forms.views_of.(v.form).lanes in
  let bytes = List.exists (fun v -> lanes v > 0) s.views in
  let one_width () = List.length (List.sort_uniq compare (List.map lanes s.views)) <= 1 in
  let moves = f.kind = 0 && bytes && one_width () && (match reads, writes with [ r ], [ w ] -> r.v_ty = w.v_ty | _ -> false) in
  let kind = match f.kind with 0 when not bytes || moves -> Move | 1 when not bytes -> Fill | _ -> Opaque in
  let key = if bytes && f.kind < 2 && not moves then tagged "b" [ string_of_int f.kind; f.key ] else
    match forms.keys.(s.step_form) with
    | Some key -> key
    | None -> let key = key_of f in forms.keys.(s.step_form) <- Some key; key in
  { s_kind = kind; s_key = key; s_elem = f.each && not bytes; s_reads = reads;
    s_writes = writes; s_acc = accesses.(s.step_form); s_means = List.map nn s.means; s_origin = nn s.origin }
let output_of ns forms strides (o : Text.output) =
  { o_view = Option.map (view_of forms) o.shows; o_scalar = intern o.scalar;
    o_strides = (if strides && o.known && o.shows <> None then Some (nums ns o.strides) else None);
    o_means = Option.map nn o.meant }
(* of each storage, the writes into it: (step, which of its writes) *)
let writes_of (t : Text.trace) (steps : step_form array) =
  let all = Array.make (List.length t.storages) [] in
  List.iteri (fun k (s : Text.step) ->
    let f = steps.(s.step_form) in
    List.iteri (fun j (v : Text.view) -> if j >= f.reads then all.(v.storage) <- (k, j - f.reads) :: all.(v.storage)) s.views) t.steps;
  Array.map (fun l -> Array.of_list (List.rev l)) all
let widths = [ ("f64", 64); ("f32", 32); ("f16", 16); ("bf16", 16); ("f8e4m3fn", 8); ("i64", 64); ("i32", 32); ("i16", 16); ("i8", 8);
               ("f8e5m2", 8); ("u64", 64); ("u32", 32); ("u16", 16); ("u8", 8); ("bool", 8); ("c64", 64); ("c128", 128); ("i4", 4); ("u4", 4) ]
(* Bits of an element of each storage, as all views of it have it; 0 where they do not agree or are not known. *)
let bits_of (c : certificate) (t : Text.trace) =
  let forms = Array.of_list c.view_forms and bits = Array.make (List.length t.storages) (-1) in
  let see (v : Text.view) =
    if v.form < Array.length forms && v.storage < Array.length bits then
      let f = forms.(v.form) in
      let width = Option.value ~default:0 (List.assoc_opt f.ty widths) and parts = max 1 f.lanes in
      let own = if width mod parts = 0 then width / parts else 0 in
      bits.(v.storage) <- (if bits.(v.storage) = -1 || bits.(v.storage) = own then own else 0) in
  List.iter (fun (_, v) -> see v) t.inputs;
  List.iter (fun (s : Text.step) -> List.iter see s.views) t.steps;
  List.iter (fun (o : Text.output) -> Option.iter see o.shows) t.outputs;
  Array.map (fun b -> if b = -1 then 1 else b) bits
let storage_of ns forms bits place (form, key) =
  if form >= Array.length forms then raise (Unreadable "a form of the table");
  let f : storage_form = forms.(form) in
  { st_start = nn f.start; st_key = intern key; st_sh = nums ns (bytes_behind ns f.bytes f.extents); st_wr = f.writable; st_cmp = f.compared;
    st_bits = zz bits.(place) }
let placement_of ns (p : Text.placement) =
  { p_arena = nn p.arena; p_offset = num ns p.offset; p_size = num ns p.size; p_first = nn p.first; p_last = nn p.last;
    p_storage = Option.map (fun (s, _) -> nn s) p.holds;
    p_order = (match p.holds with Some (_, order) -> List.map nn order | None -> []) }
let side_of (c : certificate) ns strides (t : Text.trace) =
  let steps = Array.of_list c.step_forms and storages = Array.of_list c.storage_forms in
  let space (form, _) = if form >= Array.length storages then raise (Unreadable "a form of the table"); form in
  let views = Array.of_list c.view_forms in
  let forms = { ns; views_of = views; spaces = Array.of_list (map space t.storages); storages_of = storages;
                seen = Array.make (Array.length views) None; keys = Array.make (Array.length steps) None } in
  let accesses = Array.map (fun (f : step_form) -> List.map (List.map access_of) f.access) steps in
  when_ (t.unknown <> []) "what was not understood";
  let bits = bits_of c t in
  List.iter (fun (_, _, said, computed) -> when_ (place ns said <> place ns computed) "a claim of other numbers") t.claims;
  { whole = t; steps = Array.of_list t.steps; writes = lazy (writes_of t steps);
    core = { t_st = table (mapi (storage_of ns storages bits) t.storages); t_nst = nn (List.length t.storages);
             t_steps = table (map (step_of forms steps accesses) t.steps); t_n = nn (List.length t.steps);
             t_in = map (fun (n, v) -> (intern n, view_of forms v)) t.inputs;
             t_out = map (output_of ns forms strides) t.outputs;
             t_arenas = nums ns t.arenas; t_places = map (placement_of ns) t.placements;
             t_any = t.any_order; t_edges = map (fun (x, y) -> (nn x, nn y)) t.edges } }

(* --- lemmas: versions become times --- *)
let ordered side s = let all = Lazy.force side.writes in if s < Array.length all then all.(s) else [||]
let time side s version =
  let all = ordered side s in
  if version > Array.length all then outside "a lemma of no version";
  if version = 0 then 0 else
  let step = fst all.(version - 1) in
  if version < Array.length all && fst all.(version) = step then outside "two writes of one step into one storage";
  step + 1
let version side s before =
  let all = ordered side s in
  let rec go low high =   (* those before low are before, those from high on are not *)
    if low = high then low else
    let k = (low + high) / 2 in if fst all.(k) < before then go (k + 1) high else go low k in
  go 0 (Array.length all)
(* (storage, version) after each of the n latest writes, the latest first; a move of a whole storage leads on *)
let latest side steps s v n =
  let rec go s v n acc =
    if n = 0 then List.rev acc else begin
      if v <= 0 then outside "a lemma of no write";
      let step, slot = (ordered side s).(v - 1) in
      let st : Core.step = Option.get (PM.find (pos (step + 1)) steps) in
      let w = List.nth st.s_writes slot in
      match st.s_kind, st.s_reads with
      | Move, r :: _ when w.v_maps = [] && r.v_maps = [] && w.v_ty = r.v_ty ->
        let rec int_of = function XH -> 1 | XO p -> 2 * int_of p | XI p -> (2 * int_of p) + 1 in
        let from = (match r.v_st with N0 -> 0 | Npos p -> int_of p) in
        go from (version side from step) n acc
      | _ -> go s (v - 1) (n - 1) ((s, v) :: acc)
    end in
  go s v n []
(* between two writes of one step into one storage: no time of the Trace *)
let between side (s, version) =
  let all = ordered side s in version > 0 && version < Array.length all && fst all.(version) = fst all.(version - 1)
let same_of b a (p, q) (r, s) = LSame (nn p, nn (time b p q), nn r, nn (time a r s))
let writes_lemma b a (l : Text.lemma) =
  let n = List.length l.order in
  if between b (l.a, l.b) || between a (l.c, l.d) then [] else begin
  if l.order <> List.init n Fun.id then outside "writes in another order";
  let xs = latest b b.core.t_steps l.a l.b n and ys = latest a a.core.t_steps l.c l.d n in
  let one (s, v) (s', v') = LWrite (nn s, nn (time b s v), nn s', nn (time a s' v')) in
  let pairs = List.filter (fun (x, y) -> not (between b x || between a y)) (List.combine xs ys) in
  let all = List.rev_map (fun (x, y) -> one x y) pairs in
  if List.hd xs = (l.a, l.b) && List.hd ys = (l.c, l.d) then all else all @ [ same_of b a (l.a, l.b) (l.c, l.d) ] end
let fresh side s = match PM.find (pos (s + 1)) side.core.t_st with Some x -> x.st_start = nn 1 | None -> false
(* Element by element, what was written need not be told write by write. *)
let lemma_of points alike b a (l : Text.lemma) = match l.what with
  | 0 -> [ LCall (nn l.a, nn l.c) ]
  | 1 when l.b = 0 && l.d = 0 && not alike && fresh b l.a && fresh a l.c -> []
  | 1 -> [ same_of b a (l.a, l.b) (l.c, l.d) ]
  | 2 when points && (between b (l.a, l.b) || between a (l.c, l.d)) -> []
  | 2 when points -> [ same_of b a (l.a, l.b) (l.c, l.d) ]
  | 2 -> writes_lemma b a l
  | _ -> []
(* --- identities: the terms of which an instance is said, and what a read seems to hold, which is checked again --- *)
let scalars : (bool * int, string) Hashtbl.t = Hashtbl.create 7   (* of steps that a lemma says are one, by side and number *)
let rec held at of_before side k (v : Text.view) fuel =
  let all = ordered side v.storage in
  let n = version side v.storage k in
  if n = 0 || fuel = 0 then None else
  let step, _ = all.(n - 1) in
  match Hashtbl.find_opt scalars (of_before, step) with
  | Some text -> Some text
  | None ->
    let (s : Text.step), (f : step_form) = at side step in
    if f.kind = 1 then Some f.key
    else if f.kind = 0 then held at of_before side step (List.hd s.views) (fuel - 1)
    else None
(* the type of which a read is a cast, and of what that is one where a lemma says so *)
let casts : (bool * int, string) Hashtbl.t = Hashtbl.create 7
let rec cast_of at ty of_before side k (v : Text.view) fuel =
  let all = ordered side v.storage in
  let n = version side v.storage k in
  if n = 0 || fuel = 0 then raise Identities.Other else
  let step, _ = all.(n - 1) in
  let (s : Text.step), (f : step_form) = at side step in
  if f.kind <> 0 then raise Identities.Other else
  let read, write = List.hd s.views, List.nth s.views 1 in
  match Hashtbl.find_opt casts (of_before, step) with
  | Some from -> from
  | None -> if ty read <> ty write then ty read else cast_of at ty of_before side step read (fuel - 1)
let identity_of (c : certificate) ids forms of_before side (l : Text.lemma) =
  let at side k = let s = side.steps.(k) in (s, (forms : step_form array).(s.step_form)) in
  if l.a >= Array.length side.steps then raise (Unreadable "a step");
  let (s : Text.step), f = at side l.a in
  let views = Array.of_list c.view_forms in
  let ty (v : Text.view) = views.(v.form).ty in
  let reads = first f.reads s.views and written = ty (List.nth s.views f.reads) in
  let name = Option.get l.row in
  let scalar text = tagged "o" [ text ] in
  let number text = Number (scalar text, intern (List.hd (String.split_on_char ':' text))) in
  let types js = List.map (fun j -> intern (ty (List.nth reads j))) js in
  let operator k js args = Apply (Opaque, tagged "o" [ k ], intern written, types js, args) in
  let cast written read x = Apply (Move, N0, intern written, [ intern read ], [ x ]) in
  let add e =
    let rec index n = function x :: r -> if x = e then n else index (n + 1) r | [] -> ids := !ids @ [ e ]; n in
    LSimple (of_before, nn l.a, nat (index 0 !ids)) in
  try
    if name = "convert-wider" then begin
      if f.kind <> 0 || l.b <> 0 then raise Identities.Other;
      let read = List.hd reads in
      let from = cast_of at ty of_before side l.a read 100 in
      if not (Identities.passes from (ty read) written) then raise Identities.Other;
      Hashtbl.replace casts (of_before, l.a) from;
      add (cast written (ty read) (cast (ty read) from (Operand O)), if from = written then Operand O else cast written from (Operand O))
    end else begin
      if f.kind <> 2 || (not f.each) || f.bodies <> [] then raise Identities.Other;
      let found = Identities.instance name f.key (List.map ty reads) written
          (fun j -> held at of_before side l.a (List.nth reads j) 100) l.b c.assumptions in
      let argument j _ = match List.assoc_opt j found.numbers with Some text -> number text | None -> Operand (nat j) in
      let rhs = match found.is with
        | Same j -> Operand (nat j)
        | One text -> Hashtbl.replace scalars (of_before, l.a) text; number text
        | Op (k, js) -> operator k js (List.map (fun j -> Operand (nat j)) js) in
      add (operator f.key (List.mapi (fun j _ -> j) reads) (List.mapi argument reads), rhs)
    end
  with Identities.Other | Failure _ | Invalid_argument _ -> outside ("an identity " ^ name)
(* --- the verdict --- *)
let depth = nat 60 and fuel = nat 5000
type verdict = Accepted of bool * bool   (* fresh storages are taken to begin alike; identities were named *) | Refused of string | Out of string
             | OnPaper of bool   (* the same, but that steps with bodies are one is not shown by the proof: fresh storages of bodies are alike *)
             | Broken
let value_of table k = (knows_of table).k_const k
let nothing = { f_same = PM.empty; f_call = PM.empty; f_before = PM.empty; f_after = PM.empty }
let learner consts ids alike points b a =
  let cval = knows_of consts and ib = index_of b and ia = index_of a in
  let points = if points then Some (points_of cval b, points_of cval a) else None in
  fun f l -> learn cval ids alike b a ib ia fuel points depth f l
(* Moves and fills that are operators where there are bytes: no certificate says that two of them are one call, so what can be
   shown of them is said as soon as it can. *)
let most_moves = 64
let moves_of (forms : step_form array) side =
  let one k (s : Text.step) = if forms.(s.step_form).kind >= 2 then [] else
    match PM.find (pos (k + 1)) side.core.t_steps with Some { s_kind = Opaque; _ } -> [ k ] | _ -> [] in
  List.concat_map Fun.id (mapi one side.whole.steps)
let with_moves learn (mb, ma) lemmas =
  if List.length mb > most_moves || List.length ma > most_moves then lemmas else
  let all = List.concat_map (fun k -> List.map (fun j -> LCall (nn k, nn j)) ma) mb in
  let known (f, said, open_) = List.fold_left (fun (f, said, open_) l -> match learn f l with
    | Some g -> (g, l :: said, open_)
    | None -> (f, said, l :: open_)) (f, said, []) (List.rev open_) in
  let rec go (f, said, open_) = function
    | [] -> List.rev said
    | l :: r -> match learn f l with
      | Some g -> go (known (g, l :: said, open_)) r
      | None -> List.rev_append said (l :: r) in
  go (known (nothing, [], List.rev all)) lemmas
(* The first part of what is asked that is not shown: for people, nothing rests on it. *)
let why consts ids (c : boundary) alike b a lemmas =
  let cval = knows_of consts and learn = learner consts ids alike true b a in
  let points = Some (points_of cval b, points_of cval a) and ib = index_of b and ia = index_of a in
  let rec go f = function
    | [] -> Ok f
    | l :: r -> match learn f l with
      | Some g -> go g r
      | None -> Error (match l with LCall _ -> "calls" | LSame _ -> "contents" | LWrite _ -> "writes" | LSimple _ -> "identities") in
  match go nothing lemmas with
  | Error e -> "a lemma of " ^ e
  | Ok f ->
    let both g x y = List.length x = List.length y && List.for_all2 g x y in
    let parts = [
      ("an output", fun () -> both (output_ok cval alike b a ib ia fuel points depth f) b.t_out a.t_out);
      ("contents at exit", fun () -> c.b_alone || List.for_all (exit_ok cval alike b a ib ia fuel points (key_map (all_storages b)) depth f) (all_storages a));
      ("what is compared", fun () -> List.for_all (frame_ok a (key_map (all_storages a))) (all_storages b));
      ("a store", fun () -> steps_ok a (store_ok a));
      ("a step that may disturb itself", fun () -> steps_ok a (cleans cval a));
      ("inputs", fun () -> inputs_ok b a);
      ("what a name means", fun () -> names_ok cval a ia fuel);
      ("places", fun () -> places_ok cval a);
      ("orders", fun () -> orders_ok cval a);
      ("sharing that has not grown", fun () -> c.b_alone || c.b_grow || sharing_ok cval c.b_may b a) ] in
    match List.find_opt (fun (_, ok) -> not (ok ())) parts with Some (n, _) -> n | None -> "sharing that has not shrunk"
(* The equations that were taken to hold, as a person reads them: x0 is the first operand. *)
let equations : (term * term) list ref = ref []
let in_words () =
  let rec int_of = function XH -> 1 | XO p -> 2 * int_of p | XI p -> (2 * int_of p) + 1 in
  let rec count = function O -> 0 | S n -> 1 + count n in
  let names = Hashtbl.create 97 in
  Hashtbl.iter (fun name k -> Hashtbl.replace names k name) !words;
  let word n = Hashtbl.find names (match n with N0 -> 0 | Npos p -> int_of p) in
  let key n = let w = word n in match String.index_opt w ':' with Some k -> String.sub w (k + 1) (String.length w - k - 1) | None -> w in
  let rec show = function
    | Operand k -> Printf.sprintf "x%d" (count k)
    | Number (text, _) -> key text
    | Apply (Move, _, ty, _, [ x ]) -> Printf.sprintf "%s(%s)" (word ty) (show x)
    | Apply (_, name, ty, tys, xs) ->
      Printf.sprintf "%s(%s): %s" (key name) (String.concat ", " (List.map2 (fun x t -> show x ^ ": " ^ word t) xs tys)) (word ty) in
  List.map (fun (x, y) -> show x ^ " = " ^ show y) !equations
(* How many elements are written of views that are gone through one by one: up to few it costs little, beyond most too much. *)
let few = 20_000 and most = 2_000_000
let elements consts (t : Core.trace) =
  let rec int_of = function XH -> 1 | XO p -> 2 * int_of p | XI p -> (2 * int_of p) + 1 in
  let size k = match value_of consts k with
    | Some (Zpos p) -> min (int_of p) 100_000 | Some _ -> 0 | None -> 100_000 in
  let of_view (v : Core.view) = List.fold_left (fun n k -> min 100_000 (n * size k)) 1 v.v_sh in
  let count n (_, (s : Core.step)) = List.fold_left (fun n v -> n + of_view v) n s.s_writes in
  List.fold_left count 0 (PM.pick (fun _ -> true) t.t_steps)
let asked_of (one : check) = { b_alone = one.before = None; b_grow = one.grow; b_shrink = one.shrink;
                               b_may = List.map (fun (o, x) -> (nn o, nn x)) one.may_share }
let items : item list ref = ref []   (* of the checks that were accepted, in their order *)
let decide_one c ns (one : check) =
  when_ (one.claimed <> []) "the word of a solver";
  let asked = asked_of one in
  let after = side_of c ns one.compare_strides one.after in
  let before = match one.before with Some t -> side_of c ns one.compare_strides t | None -> after in
  settled ();
  let consts = known_numbers c ns and ids = ref [] in
  Hashtbl.reset scalars;
  Hashtbl.reset casts;
  let forms = Array.of_list c.step_forms in
  let identities (l : Text.lemma) =
    if l.what <> 3 then [] else
    let of_ before_ = identity_of c ids forms before_ (if before_ then before else after) l in
    if one.before = None then [ of_ true; of_ false ] else [ of_ (l.c = 0) ] in
  let named = map (fun l -> (l, identities l)) one.lemmas in
  let moves = (moves_of forms before, moves_of forms after) in
  let lemmas alike points =
    let all = List.concat_map (fun (l, own) -> own @ lemma_of points alike before after l) named in
    if fst moves = [] || snd moves = [] then all
    else with_moves (learner consts !ids alike points before.core after.core) moves all in
  let attempt (alike, points) =
    try accepts consts !ids asked alike points before.core after.core (lemmas alike points) depth fuel with Outside _ when not points -> false in
  let by_identity = List.exists (fun (l : Text.lemma) -> l.what = 3) one.lemmas in
  let pair = one.before <> None in
  let more () =
    let n = max (elements consts before.core) (elements consts after.core) in
    List.filter (fun (alike, points) -> (pair || not alike) && ((n <= most && not !by_maps) || not points))
      (if n <= few then [ (false, true); (true, false); (true, true) ] else [ (true, false); (false, true); (true, true) ]) in
  match if attempt (false, false) then Some (false, false) else List.find_opt attempt (more ()) with
  | Some (alike, points) -> equations := !equations @ List.filter (fun e -> not (List.mem e !equations)) !ids;
    items := !items @ [ { i_ask = asked; i_before = before.core; i_after = after.core; i_ids = !ids; i_lemmas = lemmas alike points; i_points = points } ];
    Accepted (alike || !alike_bodies, by_identity)
  | None -> Refused (why consts !ids asked pair before.core after.core (lemmas pair true))
(* Where steps have bodies: the whole text once more, by induction over them. *)
let by_induction c ns all =
  let forms = List.filter (fun (f : step_form) -> f.bodies <> []) c.step_forms in
  if forms = [] || not (List.for_all (fun (_, v) -> match v with Accepted _ -> true | _ -> false) all) then all else
  let names = map (fun (one : check) -> one.called) c.checks in
  need (List.length (List.sort_uniq compare names) = List.length names) "other keys of checks";
  let rec place k name = function x :: r -> if x = name then k else place (k + 1) name r | [] -> k in
  let bodies = List.fold_left (fun m (f : step_form) ->
    let key = match tagged "o" (f.key :: f.bodies) with N0 -> XH | Npos p -> Coq_Pos.succ p in
    PM.add key (List.map (fun b -> nat (place 0 b names)) f.bodies) m) PM.empty forms in
  let alike = List.exists (fun (_, v) -> match v with Accepted (alike, _) -> alike | _ -> false) all in
  if alike then map (fun (key, v) -> (key, match v with Accepted (_, named) -> OnPaper named | other -> other)) all
  else if accepts_all (known_numbers c ns) bodies !items depth fuel then all
  else map (fun (key, v) -> (key, match v with Accepted _ -> Refused "induction over bodies" | other -> other)) all
(* --- refutations: numbers have the values that symbols have in the text --- *)
let values_of (c : certificate) ns =
  let n = Array.length ns.place in
  let value = Array.make n None and symbols = Hashtbl.create 7 in
  List.iter (fun s -> Hashtbl.replace symbols s.called_so (int_of_string_opt s.value)) c.symbols;
  let floor p d = if p >= 0 then p / d else -((-p + d - 1) / d) in
  let sum poly = try List.fold_left (fun acc (factors, by) -> match acc with
      | None -> None
      | Some acc -> Option.map (plus_ acc) (List.fold_left (fun x j -> match x, value.(j) with
          | Some x, Some y -> Some (times_ x y)
          | _ -> None) (Some by) factors)) (Some 0) poly with Large -> None in
  let numbers = Array.of_list c.numbers in
  for k = 0 to n - 1 do
    value.(k) <- (match if k < ns.given then numbers.(k) else Sum [] with
      | Bad | Func _ | Index _ -> None
      | Symbol name -> Option.join (Hashtbl.find_opt symbols name)
      | Quotient (p, d) -> (match value.(p), value.(d) with Some p, Some d when d > 0 -> Some (floor p d) | _ -> None)
      | Sum _ -> sum ns.polys.(k))
  done;
  let all = ref PM.empty in
  Array.iteri (fun k v -> match v with Some v when ns.place.(k) = k && not ns.indexed.(k) -> all := add k (zz v) !all | _ -> ()) value;
  !all
(* What is said to break. An index names a whole element: where elements have bytes it is the first one. *)
let broken_of (r : refutation) (is : Core.trace) =
  let element = List.map zz in
  let at (view : Core.view option) i =
    let rank = match view with Some v -> List.length v.v_sh | None -> 0 in
    element (i @ List.init (max 0 (rank - List.length i)) (fun _ -> 0)) in
  let output k = Option.bind (List.nth_opt is.t_out k) (fun (o : Core.output) -> o.o_view) in
  let path = List.map (fun (j, e) -> (nat j, element e)) r.path and k = r.broken.oa and back = r.broken.of_before in
  if r.turn <> [] then outside "a refutation in another order";
  match r.broken.about, r.path with
  | (2 | 3), _ -> Heads
  | 4, _ -> Value (nat k, at (output k) r.index, path)
  | 5, _ -> Exit (nn k, element r.index, path)
  | 6, _ -> Store (nn k)
  | 7, (w, _) :: rest ->
    let step = PM.find (pos (k + 1)) is.t_steps in
    let of_ views n = Option.bind step (fun s -> List.nth_opt (views s) n) in
    let write = of_ (fun (s : Core.step) -> s.s_writes) w in
    (match rest with
     | (q, _) :: _ -> Disturbs (nn k, nat w, Some (nat q), at write r.index, at (of_ (fun (s : Core.step) -> s.s_reads) q) r.other)
     | [] -> Disturbs (nn k, nat w, None, at write r.index, at write r.other))
  | 8, (x, _) :: _ ->
    SharesInput (back, nat k, nat x, at (output k) r.index, at (Option.map snd (List.nth_opt is.t_in x)) r.other)
  | 9, (l, _) :: _ -> SharesOutput (back, nat k, nat l, at (output k) r.index, at (output l) r.other)
  | k, _ -> outside (match k with
    | 1 -> "a refutation of what was claimed" | 8 -> "a refutation of sharing with no input" | 10 | 11 -> "a refutation of what a name means"
    | 12 -> "a refutation of what is defined" | 14 -> "a refutation of places" | _ -> "a refutation of something else")
let refuted c ns (one : check) r =
  check ns c one;
  let before = match one.before with Some t -> side_of c ns false t | None -> outside "a refutation of one graph" in
  let after = side_of c ns false one.after in
  let about = broken_of r (if r.broken.of_before then before.core else after.core) in
  settled ();
  let values = values_of c ns in
  let sizes = only_constants values in
  if max (elements sizes before.core) (elements sizes after.core) > most then outside "a refutation of large sizes";
  if refutes (known_numbers c ns) values (asked_of one) before.core after.core about fuel then Broken else Refused "a refutation"
let decide file =
  let text = let ch = open_in_bin file in
    let s = really_input_string ch (in_channel_length ch) in close_in ch; s in
  if String.length text > 15 && String.sub text 0 15 = "noclobber.plan/" then [ ("", Out "a plan that is a table") ] else begin
  equations := [];
  words := Hashtbl.create (max 97 (String.length text / 64));
  made := Array.make (min (String.length text / 32) (1 lsl 20)) XH;
  let c = Text.read text in
  let ns = numbers_of c in
  tables ns c;
  Hashtbl.reset shown_bodies;
  items := [];
  let last = List.nth c.checks (List.length c.checks - 1) in
  by_induction c ns (List.map (fun (one : check) ->
    found := [];
    alike_bodies := false;
    let said = try match c.refutation with
        | Some r when one == last -> refuted c ns one r
        | _ -> check ns c one; decide_one c ns one
      with Outside what -> Out what in
    (match said with
     | Accepted (alike, _) when one.before <> None -> Hashtbl.replace shown_bodies one.called alike
     | _ -> ());
    (one.called, said)) c.checks) end
let words_of = function
  | Accepted (alike, named) -> "accepted" ^ (if alike then ", fresh storages alike" else "") ^ (if named then ", by identities" else "")
  | OnPaper named -> "accepted, fresh storages alike, bodies on paper" ^ (if named then ", by identities" else "")
  | Broken -> "refuted"
  | Refused what -> "not shown: " ^ what
  | Out what -> "outside: " ^ what
let () =
  (* most of what is made is kept until the end *)
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 16; space_overhead = 10_000; max_overhead = 1_000_000; allocation_policy = 0 };
  let names = List.tl (Array.to_list Sys.argv) in
  let table = List.mem "--table" names and equations_too = List.mem "--equations" names in
  by_maps := List.mem "--by-maps" names;
  let files = List.filter (fun n -> not (List.mem n [ "--table"; "--equations"; "--by-maps" ])) names in
  let code = ref 0 in
  List.iter (fun file ->
    match decide file with
    | exception (Failure why | Invalid_argument why | Sys_error why) ->
      code := max !code 2; Printf.printf "%s\t-\tunreadable: %s\n" file why
    | exception Unreadable why -> code := max !code 2; Printf.printf "%s\t-\tunreadable: %s\n" file why
    | all ->
      if equations_too then List.iter (fun e -> print_endline ("taken to hold: " ^ e)) (in_words ());
      List.iter (fun (key, v) ->
        (match v with Accepted _ | OnPaper _ -> () | Broken -> if !code = 0 then code := 1 | _ -> if !code < 2 then code := 3);
        if table then Printf.printf "%s\t%s\t%s\n%!" file key (words_of v)) all;
      if not table then
        match List.find_opt (fun (_, v) -> match v with Accepted _ | OnPaper _ -> false | _ -> true) all with
        | Some (key, Broken) -> Printf.printf "refuted: %s; %s\n" (if key = "" then "the last check" else key) file
        | None -> Printf.printf "proved: %d checks; %s\n" (List.length all) file
        | Some (key, v) -> Printf.printf "not proved: %s: %s; %s\n" key (words_of v) file) files;
  exit !code
