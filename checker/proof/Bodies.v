(* Steps with bodies: loops, branches, maps over rows. What such a step makes depends on what its bodies do, and on nothing else
   of them: by how many trips, and in which order, is as open as what other operators do. And what it is that is refuted of two
   graphs. With Sem.v this is what has to be believed. *)
Require Import List ZArith NArith Bool.
From NC Require Import Sem.
Import ListNotations.

Section Bodies.
Variables (nv : num -> Z) (V : Type).
(* What a body finds in what it is given, inputs and tokens by start and key; and what it leaves: outputs by number, with type, shape
   or scalar, and what is compared at exit, by start and key. *)
Definition entry := N -> N -> list Z -> V.
Record outcome := Outcome { out_count : nat; out_head : nat -> N * option (N * list Z); out_element : nat -> list Z -> V;
                            out_exit : N -> N -> list Z -> V }.
Definition enters (t : trace) (m : mem V) (e : entry) : Prop :=
  forall s x, get s (t_st t) = Some x -> st_start x <> undefined -> forall c, m s c = e (st_start x) (st_key x) c.
Definition head_of (o : output) : N * option (N * list Z) :=
  (o_scalar o, match o_view o with Some v => Some (v_ty v, map nv (v_sh v)) | None => None end).
Definition leaves (t : trace) (m : mem V) (r : outcome) : Prop :=
  length (t_out t) = out_count r /\
  (forall k o, nth_error (t_out t) k = Some o -> head_of o = out_head r k /\
     forall v i, o_view o = Some v -> inbox nv (v_sh v) i -> elem nv V m v i = out_element r k i) /\
  (forall s x i, get s (t_st t) = Some x -> st_cmp x = true -> inbox nv (st_sh x) i -> m s i = out_exit r (st_start x) (st_key x) i).
(* What a body does: whenever it begins with [e] it ends with [r]. *)
Definition behaviour := entry -> outcome -> Prop.
Definition does (op : ops V) (t : trace) : behaviour := fun e r =>
  forall m, run nv V op t m -> enters t (m 0%N) e -> leaves t (m (t_n t)) r.

(* [make] of an operator and of what its bodies do is the function that it computes; it is open, but for this: of bodies that do the
   same it makes the same. [bodies]: of the key of an operator the numbers of its bodies, [side] is a body by its number. *)
Variable make : N -> list behaviour -> list (N * list Z) -> list (N * list Z * list V) -> nat -> list Z -> V.
Definition does_the_same (p q : behaviour) : Prop := forall e r, p e r <-> q e r.
Definition depends_on_behaviour : Prop := forall key ps qs, Forall2 does_the_same ps qs ->
  forall outs ins slot i, make key ps outs ins slot i = make key qs outs ins slot i.
Definition runs_bodies (bodies : PM.t (list nat)) (side : nat -> trace) (op : ops V) : Prop :=
  forall key js, get key bodies = Some js -> forall outs ins slot i,
    o_opaque V op key outs ins slot i = make key (map (fun j => does op (side j)) js) outs ins slot i.
(* Operators of two graphs are the same, but for those with bodies, which each graph has as its own. *)
Definition same_but_for_bodies (bodies : PM.t (list nat)) (p q : ops V) : Prop :=
  (forall key ty, o_fill V p key ty = o_fill V q key ty) /\
  (forall key k ty tys xs, o_each V p key k ty tys xs = o_each V q key k ty tys xs) /\
  (forall key, get key bodies = None -> forall outs ins slot i, o_opaque V p key outs ins slot i = o_opaque V q key outs ins slot i).
(* Every view of it stays in its storage, so that there are runs. *)
Definition stays_inside (t : trace) : Prop :=
  (forall k, (k < t_n t)%N -> exists s, get k (t_steps t) = Some s /\ forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) /\
  (forall o v, In o (t_out t) -> o_view o = Some v -> in_bounds nv t v).
End Bodies.

(* --- refutations --- *)
(* For some operators and contents at entry, both graphs have runs, and one of [after] ends as none of [before] does. *)
Definition breaks (nv : num -> Z) (b a : trace) : Prop :=
  exists (V : Type) (op : ops V) (e : entry V), (exists mb, run nv V op b mb /\ enters V b (mb 0%N) e) /\
  exists ma, run nv V op a ma /\ enters V a (ma 0%N) e /\
  forall mb, run nv V op b mb -> enters V b (mb 0%N) e ->
    ~ (same_outputs nv V b a (mb (t_n b)) (ma (t_n a)) /\ same_exit nv V b a (mb (t_n b)) (ma (t_n a))).
(* Or, whatever the contents: a store goes where it may not, a step of [after] disturbs itself, sharing is new. *)
Definition breaks_a_rule (nv : num -> Z) (c : boundary) (b a : trace) : Prop :=
  ~ stores_allowed a \/ ~ (forall k s, (k < t_n a)%N -> get k (t_steps a) = Some s -> clean nv s) \/
  (b_grow c = false /\ ~ no_new_sharing nv (b_may c) b a) \/ (b_shrink c = false /\ ~ no_new_sharing nv (b_may c) a b).
