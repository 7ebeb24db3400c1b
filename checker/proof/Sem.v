(* What a Trace means: storages, views, steps, runs, and what a caller sees of two runs. There is no checker in here:
   this file and the statement of [accepted_is_right] (Sound.v) are what has to be read and believed.

   To read it without knowing Coq: [Z] are the integers, [N] the naturals from 0 on, [nat] the same counted by successors
   (places in lists). [list A] are lists, [x :: r] is x before r, [l ++ m] one list behind the other, [map f l] applies f
   to each, [nth k l d] is the k-th, or d where there is none, [nth_error l k] is [Some] of it, or [None]. [A -> B] is a
   function or "if A then B", [/\] "and", [\/] "or", [~] "not", [forall] and [exists] what they say. [fold_right f x l]
   is f applied to each of l and what comes of the rest, beginning at the end with x. [Variable] is a parameter of all
   that follows in its section. An example that runs through all of this is in Example.v; read it beside this file.

   In this order: numbers of a table; what a Trace consists of; index spaces, and how maps of views lead from one to another; memories
   and operators; what one step does ([exec]), and runs; what a caller sees of two runs; places and orders. [right], at the
   end, puts together what is claimed. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Export Table.
Import ListNotations.

(* Tables: what stands at place k, if anything does; Table.v proves that what is put at a place is found there. *)
Definition get {A} (k : N) (m : PM.t A) : option A := PM.find (N.succ_pos k) m.

(* Sizes are numbers of a table, by their place in it; [nv] gives each its value in one run. *)
Definition num := N.
(* A sum of products of numbers, each with a factor; and what a table of numbers says: which are such sums, which have bounds. *)
Definition sums := list (Z * list num).
Definition product_value (nv : num -> Z) (m : list num) : Z := fold_right (fun k acc => nv k * acc)%Z 1%Z m.
Definition sum_value (nv : num -> Z) (s : sums) : Z := fold_right (fun x acc => fst x * product_value nv (snd x) + acc)%Z 0%Z s.
Record numbers := Numbers { n_sum : PM.t sums; n_low : PM.t Z; n_high : PM.t Z }.
Definition numbers_hold (nv : num -> Z) (t : numbers) : Prop :=
  (forall k s, get k (n_sum t) = Some s -> nv k = sum_value nv s) /\
  (forall k z, get k (n_low t) = Some z -> (z <= nv k)%Z) /\ (forall k z, get k (n_high t) = Some z -> (nv k <= z)%Z).

(* A map leads from an index of the space [to] to one of the space [from]: affine, parent[d] = start[d] + sum of
   by * index[t] over the factors (t, d, by); or a reshape, the element at the same row-major position, group by group. *)

Inductive imap :=
| Aff (from to start : list num) (fs : list (N * N * num))     (* factors (to, from, by) *)
| Resh (from to : list num) (gs : list (N * N)).               (* where each group ends *)

(* Some elements of a storage: storage, element type, shape, and maps from the storage's own space to the view's. *)
Record view := View { v_st : N; v_ty : N; v_sh : list num; v_maps : list imap }.
(* What is promised of a read and a write of one step: nothing; where both lie on the same elements, element k is read
   before it is written; all reads come before the first write. *)
Inductive access := AnyTime | ElementWise | BeforeWrite.
(* A step copies (casts), fills with a scalar, or applies an operator; [s_elem]: element by element. [s_key] is the
   operator with its attributes, or the scalar. *)
Inductive kind := Move | Fill | Opaque.
Record step := Step { s_kind : kind; s_key : N; s_elem : bool; s_reads : list view; s_writes : list view;
                      s_acc : list (list access);  (* [read][write] *)
                      s_means : list N;            (* where names are values: per read the time that its name means *)
                      s_origin : N }.              (* the step of the graph that it belongs to *)
(* Where it comes from (given by the caller, fresh, a token), who it is, its shape, may this graph store into it, are its
   contents at exit compared. Different storages never overlap. *)
Record storage := Storage { st_start : N; st_key : N; st_sh : list num; st_wr : bool; st_cmp : bool;
                            st_bits : Z }.         (* of one element; 0: not known *)
(* A tensor or a scalar that is returned; [o_means]: the time that its name means. *)
Record output := Output { o_view : option view; o_scalar : N; o_strides : option (list num); o_means : option N }.
(* Bytes of an arena that a storage has from graph step [p_first] on until before [p_last]; its elements lie close together,
   its dimensions in the order [p_order], the outermost in memory first. *)
Record placement := Placement { p_arena : N; p_offset : num; p_size : num; p_first : N; p_last : N; p_storage : option N;
                                p_order : list N }.
(* Steps and storages by number; with [t_any] graph steps may run in every order that [t_edges] allow. *)
Record trace := Trace { t_st : PM.t storage; t_nst : N; t_steps : PM.t step; t_n : N;
                        t_in : list (N * view); t_out : list output;
                        t_arenas : list num; t_places : list placement; t_any : bool; t_edges : list (N * N) }.
(* What is asked of two Traces: are both one, beside itself; may sharing grow, may it shrink; (output, input): the caller
   makes the output anew, and it may show the input. *)
Record boundary := Boundary { b_alone : bool; b_grow : bool; b_shrink : bool; b_may : list (N * N) }.

(* Operands by number, numbers (a scalar and its type), and operators of these: key, type written, types read. *)
Inductive term :=
| Operand (k : nat)
| Number (scalar ty : N)
| Apply (kd : kind) (key ty : N) (tys : list N) (args : list term).

Definition given : N := 0.       (* starts: an input; *)
Definition undefined : N := 1.   (* fresh, anything may be in it; 2: a token *)

(* --- index spaces --- *)
(* [0; 1; ...; e - 1], and all indices of a shape. *)
Definition range (e : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat e)).
Fixpoint box (sh : list Z) : list (list Z) :=
  match sh with
  | [] => [[]]
  | e :: r => flat_map (fun i => map (cons i) (box r)) (range e)
  end.

(* --- maps of views --- *)
Definition factor_part (nv : num -> Z) (i : list Z) (d : N) (f : N * N * num) : Z :=
  let '(t, fr, b) := f in if N.eqb fr d then nv b * nth (N.to_nat t) i 0%Z else 0%Z.
Definition affine_at nv (fs : list (N * N * num)) (i : list Z) (d : N) (s : num) : Z :=
  fold_right (fun f acc => factor_part nv i d f + acc)%Z (nv s) fs.
Fixpoint affine nv fs i (d : N) (start : list num) : list Z :=
  match start with
  | [] => []
  | s :: r => affine_at nv fs i d s :: affine nv fs i (N.succ d) r
  end.
(* The row-major position of an index, and back: the outermost index is what is left. *)
Fixpoint flat (sh i : list Z) (acc : Z) : Z :=
  match sh, i with
  | e :: sh', x :: i' => flat sh' i' (acc * e + x)%Z
  | _, _ => acc
  end.
Fixpoint unflat_rev (rsh : list Z) (n : Z) : list Z :=
  match rsh with
  | [] => []
  | e :: r => match r with [] => [n] | _ => (n mod e)%Z :: unflat_rev r (n / e)%Z end
  end.
Definition unflat sh n := rev (unflat_rev (rev sh) n).
Fixpoint reshaped (from to : list Z) (gs : list (N * N)) (la lb : N) (i : list Z) : list Z :=
  match gs with
  | [] => []
  | (a, b) :: r =>
    let na := N.to_nat (a - la) in let nb := N.to_nat (b - lb) in
    unflat (firstn na from) (flat (firstn nb to) (firstn nb i) 0%Z)
      ++ reshaped (skipn na from) (skipn nb to) r a b (skipn nb i)
  end.
Definition to_of m := match m with Aff _ t _ _ => t | Resh _ t _ => t end.
Definition mapfun nv (m : imap) (i : list Z) : list Z :=
  match m with
  | Aff _ _ start fs => affine nv fs i 0 start
  | Resh from to gs => reshaped (map nv from) (map nv to) gs 0 0 i
  end.
(* the last map is applied first to an index of the view *)
Definition root nv (ms : list imap) (i : list Z) : list Z := fold_right (mapfun nv) i ms.

Section Sem.
Variable nv : num -> Z.
Definition inbox (sh : list num) (i : list Z) : Prop := In i (box (map nv sh)).

(* every map leads into the space it is said to lead into; else the framework raises an error *)
Fixpoint lands (space : list num) (ms : list imap) (i : list Z) : Prop :=
  match ms with
  | [] => inbox space i
  | m :: r => inbox space (root nv ms i) /\ lands (to_of m) r i
  end.

(* [V] are the contents of one element, whatever these are; a memory gives each element of each storage one. Operators
   are arbitrary functions: of all that is read and of the types and shapes of what is written; of one element of each
   operand; or of nothing but a key and a type. *)
Variable V : Type.
Definition mem := N -> list Z -> V.
Record ops := Ops {
  o_opaque : N -> list (N * list Z) -> list (N * list Z * list V) -> nat -> list Z -> V;
  o_each : N -> kind -> N -> list N -> list V -> V;  (* key, kind, type written, types read, one element of each *)
  o_fill : N -> N -> V }.                            (* key, type *)
Variable op : ops.

Fixpoint value (vs : nat -> V) (x : term) : V :=
  match x with
  | Operand k => vs k
  | Number s ty => o_fill op s ty
  | Apply kd key ty tys args => o_each op key kd ty tys (map (value vs) args)
  end.
(* An identity is two terms that have one value, whatever the operands: x * 1 and x. Which ones hold is not proved here: the
   theorem is about all operators for which those hold that it is given. *)
Definition identities_hold (ids : list (term * term)) : Prop :=
  forall x y, In (x, y) ids -> forall vs, value vs x = value vs y.

Definition shape_of (t : trace) (s : N) : list num :=
  match get s (t_st t) with Some x => st_sh x | None => [] end.
Definition elem (m : mem) (v : view) (i : list Z) : V := m (v_st v) (root nv (v_maps v) i).
Definition operand (m : mem) (v : view) : N * list Z * list V :=
  (v_ty v, map nv (v_sh v), map (elem m v) (box (map nv (v_sh v)))).

(* what a step stores at index [i] of its write number [slot], from what it finds in [m] *)
Definition result (s : step) (m : mem) (slot : nat) (i : list Z) : V :=
  match nth_error (s_writes s) slot with
  | None => o_fill op 0 0
  | Some w =>
    match s_kind s with
    | Fill => o_fill op (s_key s) (v_ty w)
    | Move =>
      match s_reads s with
      | r :: _ => if N.eqb (v_ty r) (v_ty w) then elem m r i
                  else o_each op 0 Move (v_ty w) [v_ty r] [elem m r i]
      | [] => o_fill op 0 0
      end
    | Opaque =>
      if s_elem s then o_each op (s_key s) Opaque (v_ty w) (map v_ty (s_reads s)) (map (fun r => elem m r i) (s_reads s))
      else o_opaque op (s_key s) (map (fun x => (v_ty x, map nv (v_sh x))) (s_writes s))
                    (map (operand m) (s_reads s)) slot i
    end
  end.

(* Element c of storage s is one of the view. *)
Definition holds_cell (v : view) (s : N) (c : list Z) : Prop :=
  v_st v = s /\ exists i, inbox (v_sh v) i /\ root nv (v_maps v) i = c.
Definition apart (v w : view) : Prop := forall s c, ~ (holds_cell v s c /\ holds_cell w s c).
Definition injective (v : view) : Prop :=
  forall i j, inbox (v_sh v) i -> inbox (v_sh v) j -> root nv (v_maps v) i = root nv (v_maps v) j -> i = j.
Definition accessed (s : step) (r w : nat) : access := nth w (nth r (s_acc s) []) AnyTime.

(* No two accesses of the step meet in a way that its contract forbids. *)
Definition clean (s : step) : Prop :=
  (forall w, In w (s_writes s) -> injective w) /\
  (forall a b w x, nth_error (s_writes s) a = Some w -> nth_error (s_writes s) b = Some x -> a <> b -> apart w x) /\
  (forall a b r w, nth_error (s_reads s) a = Some r -> nth_error (s_writes s) b = Some w ->
     accessed s a b = BeforeWrite \/
     (accessed s a b = ElementWise /\ v_st r = v_st w /\ v_sh r = v_sh w /\ v_maps r = v_maps w) \/
     apart r w).

Definition in_bounds (t : trace) (v : view) : Prop :=
  forall i, inbox (v_sh v) i -> lands (shape_of t (v_st v)) (v_maps v) i.

(* One step. What it does not write stays; a clean step stores its results, made of what it read when it began; a step that
   disturbs itself may leave anything in what it writes. That this is so for single reads and writes, in any order that the
   contract allows, is proved in Interleave.v. *)
Definition exec (t : trace) (s : step) (m m' : mem) : Prop :=
  (forall v, In v (s_reads s ++ s_writes s) -> in_bounds t v) /\
  (forall st c, (forall w, In w (s_writes s) -> ~ holds_cell w st c) -> m' st c = m st c) /\
  (clean s -> forall slot w i, nth_error (s_writes s) slot = Some w -> inbox (v_sh w) i ->
     m' (v_st w) (root nv (v_maps w) i) = result s m slot i).

(* A run: the memory at each time. *)
Definition run (t : trace) (at_ : N -> mem) : Prop :=
  (forall k s, (k < t_n t)%N -> get k (t_steps t) = Some s -> exec t s (at_ k) (at_ (N.succ k))) /\
  (forall k, (k < t_n t)%N -> get k (t_steps t) <> None) /\
  (forall o v, In o (t_out t) -> o_view o = Some v -> in_bounds t v).

(* Both runs begin with the same contents of what both know: inputs and tokens, by start and key. With
   [fresh] so do fresh storages of one key and shape: one choice of what nobody wrote, for both graphs. *)
Definition begin_alike (fresh : bool) (b a : trace) (mb ma : mem) : Prop :=
  forall s s' x y, get s (t_st b) = Some x -> get s' (t_st a) = Some y ->
    st_start x = st_start y -> st_start x <> undefined \/ (fresh = true /\ st_sh x = st_sh y) -> st_key x = st_key y ->
    forall c, mb s c = ma s' c.

(* What a caller sees of two runs. *)
Definition same_outputs (b a : trace) (mb ma : mem) : Prop :=
  length (t_out b) = length (t_out a) /\
  forall k x y, nth_error (t_out b) k = Some x -> nth_error (t_out a) k = Some y ->
    o_scalar x = o_scalar y /\
    match o_view x, o_view y with
    | None, None => True
    | Some v, Some w =>
      v_ty v = v_ty w /\ v_sh v = v_sh w /\
      (forall p q, o_strides x = Some p -> o_strides y = Some q -> map nv p = map nv q) /\
      forall i, inbox (v_sh v) i -> elem mb v i = elem ma w i
    | _, _ => False
    end.
Definition same_exit (b a : trace) (mb ma : mem) : Prop :=
  forall s y, get s (t_st a) = Some y -> st_cmp y = true -> (s < t_nst a)%N ->
    exists s' x, get s' (t_st b) = Some x /\ st_start x = st_start y /\ st_key x = st_key y /\
      forall i, inbox (st_sh y) i -> mb s' i = ma s i.
(* nothing that [before] shows at exit is hidden by [after] *)
Definition all_compared (b a : trace) : Prop :=
  forall s x, get s (t_st b) = Some x -> st_cmp x = true ->
    exists s' y, get s' (t_st a) = Some y /\ st_start y = st_start x /\ st_key y = st_key x /\ st_cmp y = true.
(* Inputs of one name are the same elements of what the caller gives. *)
Definition same_inputs (b a : trace) : Prop :=
  forall name v w, In (name, v) (t_in b) -> In (name, w) (t_in a) ->
    v_ty v = v_ty w /\ v_sh v = v_sh w /\ v_maps v = v_maps w /\
    exists x y, get (v_st v) (t_st b) = Some x /\ get (v_st w) (t_st a) = Some y /\
                st_start x = st_start y /\ st_key x = st_key y.
(* every store of [after] goes where it may *)
Definition stores_allowed (a : trace) : Prop :=
  forall k s w x, (k < t_n a)%N -> get k (t_steps a) = Some s -> In w (s_writes s) ->
    get (v_st w) (t_st a) = Some x -> st_wr x = true.
(* Sharing has not grown: elements of an output and an input, or of two outputs (or of one with itself), that lie on one
   place in [after] lay on one place in [before]. [may]: an output that the caller makes anew, and an input that it may show. *)
Definition cell (v : view) (i : list Z) : N * list Z := (v_st v, root nv (v_maps v) i).
Definition no_new_sharing (may : list (N * N)) (b a : trace) : Prop :=
  (forall k x o w name u, ~ In (N.of_nat k, N.of_nat x) may -> nth_error (t_out a) k = Some o -> o_view o = Some w ->
     nth_error (t_in a) x = Some (name, u) ->
     forall i j, inbox (v_sh w) i -> inbox (v_sh u) j -> cell w i = cell u j ->
     exists o' v u', nth_error (t_out b) k = Some o' /\ o_view o' = Some v /\ In (name, u') (t_in b) /\
                     v_sh v = v_sh w /\ v_sh u' = v_sh u /\ cell v i = cell u' j) /\
  (forall k l o p w x, (forall n, ~ In (N.of_nat k, n) may) -> (forall n, ~ In (N.of_nat l, n) may) ->
     nth_error (t_out a) k = Some o -> o_view o = Some w -> nth_error (t_out a) l = Some p -> o_view p = Some x ->
     forall i j, inbox (v_sh w) i -> inbox (v_sh x) j -> cell w i = cell x j ->
     exists o' p' v y, nth_error (t_out b) k = Some o' /\ o_view o' = Some v /\ v_sh v = v_sh w /\
                       nth_error (t_out b) l = Some p' /\ o_view p' = Some y /\ v_sh y = v_sh x /\
                       cell v i = cell y j).
(* Where names are values: what a read or an output finds is what was there when the step began that its name means. *)
Definition names_mean (a : trace) (ma : N -> mem) : Prop :=
  (forall k s p r time, (k < t_n a)%N -> get k (t_steps a) = Some s -> nth_error (s_reads s) p = Some r ->
     nth_error (s_means s) p = Some time -> forall i, inbox (v_sh r) i -> elem (ma k) r i = elem (ma time) r i) /\
  (forall o v time, In o (t_out a) -> o_view o = Some v -> o_means o = Some time ->
     forall i, inbox (v_sh v) i -> elem (ma (t_n a)) v i = elem (ma time) v i).
(* The step reads or writes the storage. *)
Definition touches (s : step) (st : N) : Prop := exists v, In v (s_reads s ++ s_writes s) /\ v_st v = st.
Definition elements (sh : list num) : Z := fold_right (fun e n => nv e * n)%Z 1%Z sh.
(* A placement lies in its arena; it has room for all elements of its storage, and lives through all its uses: also from
   the beginning, where the caller gave it, and beyond the end, where it is returned or compared. *)
Definition well_placed (t : trace) (p : placement) : Prop :=
  (exists e, nth_error (t_arenas t) (N.to_nat (p_arena p)) = Some e /\
     0 <= nv (p_offset p) /\ 0 <= nv (p_size p) /\ nv (p_offset p) + nv (p_size p) <= nv e)%Z /\
  forall st x, p_storage p = Some st -> get st (t_st t) = Some x ->
    (0 < st_bits x /\ st_bits x * elements (st_sh x) <= 8 * nv (p_size p))%Z /\
    (forall k s, (k < t_n t)%N -> get k (t_steps t) = Some s -> touches s st -> p_first p <= s_origin s < p_last p)%N /\
    (st_start x = given -> p_first p = 0%N) /\
    ((exists o v, In o (t_out t) /\ o_view o = Some v /\ v_st v = st) \/ (st_start x = given /\ st_cmp x = true) ->
       forall k s, (k < t_n t)%N -> get k (t_steps t) = Some s -> N.succ (s_origin s) < p_last p)%N.
Definition bytes_apart (p q : placement) : Prop :=
  (nv (p_size p) = 0 \/ nv (p_size q) = 0 \/ nv (p_offset p) + nv (p_size p) <= nv (p_offset q) \/
   nv (p_offset q) + nv (p_size q) <= nv (p_offset p))%Z.
(* Where in the arena, in bits, an element of the storage begins; the order has each dimension once. *)
Definition address (t : trace) (p : placement) (st : N) (c : list Z) : Z :=
  let sh := map nv (shape_of t st) in
  (8 * nv (p_offset p)
   + match get st (t_st t) with Some x => st_bits x | None => 0 end
     * fold_left (fun at_ d => at_ * nth (N.to_nat d) sh 0 + nth (N.to_nat d) c 0) (p_order p) 0)%Z.
Definition full_order (t : trace) (p : placement) (st : N) : Prop :=
  NoDup (p_order p) /\ forall d, In d (p_order p) <-> (N.to_nat d < length (shape_of t st))%nat.
(* What step s reads by r it may write by w, which has the same bytes: all reads come first, or each element is read
   before the element is written that lies on the very same bits. *)
Definition in_place (t : trace) (p q : placement) (s : step) (x y : nat) (r w : view) : Prop :=
  accessed s x y = BeforeWrite \/
  (accessed s x y = ElementWise /\ v_sh r = v_sh w /\ full_order t p (v_st r) /\ full_order t q (v_st w) /\
   forall i, inbox (v_sh w) i ->
     address t p (v_st r) (root nv (v_maps r) i) = address t q (v_st w) (root nv (v_maps w) i)).
(* [q] takes over bytes of [p] in the last step of [p], which is the first of [q] and not of [p], so that no contents that are
   given are written over: each use of the one comes before each use of the other, or is a read of the step that writes the
   other in place. *)
Definition hands_over (t : trace) (p q : placement) : Prop :=
  p_last p = N.succ (p_first q) /\ (p_first p < p_first q)%N /\ exists sp sq, p_storage p = Some sp /\ p_storage q = Some sq /\ sp <> sq /\
  forall j k s u, (j < t_n t)%N -> (k < t_n t)%N -> get j (t_steps t) = Some s -> get k (t_steps t) = Some u ->
    s_origin s = p_first q -> s_origin u = p_first q -> touches s sp -> touches u sq ->
    (j < k)%N \/
    (j = k /\ (forall w, In w (s_writes s) -> v_st w <> sp) /\ (forall r, In r (s_reads s) -> v_st r <> sq) /\
     forall x y r w, nth_error (s_reads s) x = Some r -> nth_error (s_writes s) y = Some w -> v_st r = sp -> v_st w = sq ->
       in_place t p q s x y r w).
(* No two placements have one byte of an arena while both live, but where one hands it over. *)
Definition places_right (t : trace) : Prop :=
  (forall p, In p (t_places t) -> well_placed t p) /\
  (forall j k p q, j <> k -> nth_error (t_places t) j = Some p -> nth_error (t_places t) k = Some q ->
     p_arena p = p_arena q -> (exists g, p_first p <= g < p_last p /\ p_first q <= g < p_last q)%N ->
     bytes_apart p q \/ hands_over t p q \/ hands_over t q p).
(* A path of edges from one graph step to another. *)
Inductive path (edges : list (N * N)) : N -> N -> Prop :=
| Edge x y : In (x, y) edges -> path edges x y
| Then x y z : In (x, y) edges -> path edges y z -> path edges x z.
(* Where graph steps may run in every order that edges allow, two that touch one element, one of them writing it, are
   joined by a path of edges, each of which leads to a later step. *)
Definition orders_right (t : trace) : Prop := t_any t = true ->
  (forall x y, In (x, y) (t_edges t) -> (x < y)%N) /\
  forall j k s u v w, (j < k)%N -> (k < t_n t)%N -> get j (t_steps t) = Some s -> get k (t_steps t) = Some u ->
    s_origin s <> s_origin u -> In v (s_reads s ++ s_writes s) -> In w (s_reads u ++ s_writes u) ->
    In v (s_writes s) \/ In w (s_writes u) -> ~ apart v w -> path (t_edges t) (s_origin s) (s_origin u).
(* All of it: [mb] and [ma] are the memories of two runs, by time. What a Trace beside itself leaves in storages may depend
   on what nobody wrote; its outputs do not. *)
Definition right (c : boundary) (b a : trace) (mb ma : N -> mem) : Prop :=
  same_inputs b a /\ all_compared b a /\ stores_allowed a /\
  same_outputs b a (mb (t_n b)) (ma (t_n a)) /\
  (b_alone c = false ->
     same_exit b a (mb (t_n b)) (ma (t_n a)) /\
     (b_grow c = false -> no_new_sharing (b_may c) b a) /\
     (b_shrink c = false -> no_new_sharing (b_may c) a b)) /\
  (forall k s, (k < t_n a)%N -> get k (t_steps a) = Some s -> clean s) /\
  names_mean a ma /\ places_right a /\ orders_right a.
End Sem.
