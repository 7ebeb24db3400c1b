(* Why a step that does not disturb itself is a function of what it reads when it begins, as [exec] (Sem.v) says: from single
   reads and writes of elements, in any order that its contract allows. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem.
Import ListNotations.

Section Interleave.
Variable nv : num -> Z.
Variable V : Type.
Variable op : ops V.
Variable s : step.
Notation mem := (mem V).

(* --- what is meant --- *)
(* By its read, or write, of that number the step reads, or writes, the element at an index; and what. *)
Inductive event := Rd (a : nat) (i : list Z) (v : V) | Wr (b : nat) (i : list Z) (v : V).
Definition set (m : mem) (st : N) (c : list Z) (v : V) : mem :=
  fun st' c' => if N.eqb st' st then if list_eq_dec Z.eq_dec c' c then v else m st' c' else m st' c'.
(* Events one after the other, from one memory to another: each read finds what lies there at that time. *)
Inductive does : mem -> list event -> mem -> Prop :=
| Nothing m : does m [] m
| Reads m a r i es m' : nth_error (s_reads s) a = Some r -> inbox nv (v_sh r) i -> does m es m' ->
    does m (Rd a i (elem nv V m r i) :: es) m'
| Writes m b w i v es m' : nth_error (s_writes s) b = Some w -> inbox nv (v_sh w) i ->
    does (set m (v_st w) (root nv (v_maps w) i) v) es m' -> does m (Wr b i v :: es) m'.
(* The contract: all reads before the first write; or, by one and the same view, each element for the last time before it is
   written. *)
Definition one_view (a b : nat) : Prop := exists r w, nth_error (s_reads s) a = Some r /\ nth_error (s_writes s) b = Some w /\
  v_st r = v_st w /\ v_sh r = v_sh w /\ v_maps r = v_maps w.
Definition allowed (es : list event) : Prop :=
  forall l1 b j v l2 a i u, es = l1 ++ Wr b j v :: l2 -> In (Rd a i u) l2 ->
    accessed s a b <> BeforeWrite /\ (accessed s a b = ElementWise -> one_view a b -> i <> j).
(* Each element is written, and the last time with what the operator makes of what was read: the same for every memory that is
   in keeping with all that was. Before that anything may be written. *)
Definition computes (es : list event) : Prop :=
  forall b w i, nth_error (s_writes s) b = Some w -> inbox nv (v_sh w) i ->
    exists l1 v l2, es = l1 ++ Wr b i v :: l2 /\ (forall u, ~ In (Wr b i u) l2) /\
      forall m, (forall a r j u, In (Rd a j u) es -> nth_error (s_reads s) a = Some r -> u = elem nv V m r j) ->
        v = result nv V op s m b i.

(* --- why --- *)
Definition hits (e : event) (st : N) (c : list Z) : Prop :=
  match e with
  | Rd _ _ _ => False
  | Wr b i _ => exists w, nth_error (s_writes s) b = Some w /\ inbox nv (v_sh w) i /\ v_st w = st /\ root nv (v_maps w) i = c
  end.
Lemma set_same m st c v : set m st c v st c = v.
Proof. unfold set. rewrite N.eqb_refl. destruct (list_eq_dec Z.eq_dec c c); congruence. Qed.
Lemma set_other m st c v st' c' : ~ (st = st' /\ c = c') -> set m st c v st' c' = m st' c'.
Proof.
  unfold set. intros H. destruct (N.eqb_spec st' st); auto. destruct (list_eq_dec Z.eq_dec c' c); auto. subst. exfalso. auto.
Qed.
Lemma stays_put m es m' st c : does m es m' -> (forall e, In e es -> ~ hits e st c) -> m' st c = m st c.
Proof.
  intros D. induction D as [m | m a r i es m' Ha Hi D IH | m b w i v es m' Hb Hi D IH]; intros H; auto.
  - apply IH. intros e E. apply H. right; auto.
  - rewrite IH by (intros e E; apply H; right; auto). apply set_other. intros [E1 E2].
    apply (H (Wr b i v)); [left; auto|]. exists w. auto.
Qed.
Lemma read_of m es m' : does m es m' -> forall l1 a i v l2, es = l1 ++ Rd a i v :: l2 ->
  exists r, nth_error (s_reads s) a = Some r /\ inbox nv (v_sh r) i /\
    ((forall e, In e l1 -> ~ hits e (v_st r) (root nv (v_maps r) i)) -> v = elem nv V m r i).
Proof.
  intros D. induction D as [m | m a r i es m' Ha Hi D IH | m b w i v es m' Hb Hi D IH]; intros l1 a' i' v' l2 E.
  - destruct l1; discriminate.
  - destruct l1 as [|e l1]; inversion E; subst.
    + exists r. auto.
    + destruct (IH _ _ _ _ _ eq_refl) as (r' & H1 & H2 & H3). exists r'. repeat split; auto. intros H. apply H3. intros e L. apply H. right; auto.
  - destruct l1 as [|e l1]; inversion E; subst. destruct (IH _ _ _ _ _ eq_refl) as (r' & H1 & H2 & H3). exists r'. repeat split; auto.
    intros H. rewrite H3 by (intros e L; apply H; right; auto). unfold elem. apply set_other. intros [E1 E2].
    apply (H (Wr b i v)); [left; auto|]. exists w. auto.
Qed.
Lemma written m es m' : does m es m' -> forall l1 b i v l2, es = l1 ++ Wr b i v :: l2 ->
  exists w, nth_error (s_writes s) b = Some w /\ inbox nv (v_sh w) i /\
    ((forall e, In e l2 -> ~ hits e (v_st w) (root nv (v_maps w) i)) -> m' (v_st w) (root nv (v_maps w) i) = v).
Proof.
  intros D. induction D as [m | m a r i es m' Ha Hi D IH | m b w i v es m' Hb Hi D IH]; intros l1 b' i' v' l2 E.
  - destruct l1; discriminate.
  - destruct l1 as [|e l1]; inversion E; subst. eapply IH; eauto.
  - destruct l1 as [|e l1]; inversion E; subst; [|eapply IH; eauto]. exists w. repeat split; auto.
    intros H. rewrite (stays_put _ _ _ _ _ D H). apply set_same.
Qed.
(* Each read finds what lay there when the step began. *)
Lemma reads_find_the_beginning m es m' a r i v : does m es m' -> allowed es -> clean nv s ->
  In (Rd a i v) es -> nth_error (s_reads s) a = Some r -> v = elem nv V m r i.
Proof.
  intros D A (Inj & _ & Cl) H Hr. apply in_split in H as (l1 & l2 & E). destruct (read_of _ _ _ D _ _ _ _ _ E) as (r' & H1 & H2 & H3).
  rewrite Hr in H1. inversion H1; subst r'. apply H3. intros e He Hit. destruct e as [|b j u]; [exact Hit|].
  destruct Hit as (w & Hw & Hj & E1 & E2). apply in_split in He as (k1 & k2 & Ek).
  assert (E' : es = k1 ++ Wr b j u :: (k2 ++ Rd a i v :: l2)) by (rewrite E, Ek, <- app_assoc; auto).
  destruct (A _ _ _ _ _ a i v E') as [A1 A2]; [apply in_or_app; right; left; auto|].
  destruct (Cl a b r w Hr Hw) as [C|[(C & S1 & S2 & S3)|C]]; [congruence | |].
  - apply A2; [auto | exists r, w; auto |]. apply (Inj w); [eapply nth_error_In; eauto | rewrite <- S2; auto | auto |]. rewrite S3 in E2. auto.
  - apply (C (v_st r) (root nv (v_maps r) i)). split; split; auto; [exists i | exists j]; auto.
Qed.
Theorem clean_steps_are_functions t m es m' : does m es m' -> allowed es -> computes es ->
  (forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) -> exec nv V op t s m m'.
Proof.
  intros D A Co B. split; [exact B|]. split.
  - intros st c H. eapply stays_put; eauto. intros e He Hit. destruct e as [|b i v]; [exact Hit|].
    destruct Hit as (w & Hw & Hi & E1 & E2). apply (H w); [eapply nth_error_In; eauto|]. split; auto. exists i. auto.
  - intros Cl b w i Hw Hi. destruct (Co b w i Hw Hi) as (l1 & v & l2 & E & Last & Val).
    destruct (written _ _ _ D _ _ _ _ _ E) as (w' & Hw' & _ & R). rewrite Hw in Hw'. inversion Hw'; subst w'. rewrite R.
    + apply Val. intros a r j u Hu Hr. eapply reads_find_the_beginning; eauto.
    + destruct Cl as (Inj & Ap & _). intros e He Hit. destruct e as [|b' j u]; [exact Hit|].
      destruct Hit as (x & Hx & Hj & E1 & E2). destruct (Nat.eq_dec b' b) as [->|Ne].
      * rewrite Hw in Hx. inversion Hx; subst x. assert (j = i) by (apply (Inj w); auto; eapply nth_error_In; eauto).
        subst j. apply (Last u He).
      * apply (Ap b' b x w Hx Hw Ne (v_st w) (root nv (v_maps w) i)). split; split; auto; [exists j | exists i]; auto.
Qed.
End Interleave.

(* It is not about nothing: an operator of elements, in place, goes through two elements one after the other. *)
Section Two.
Variables (V : Type) (op : ops V) (m : mem V).
Definition both : view := View 0 0 [0%N] [].
Definition in_place_step : step := Step Opaque 7 true [both] [both] [[ElementWise]] [] 0.
Definition two : num -> Z := fun _ => 2%Z.
Definition made (i : list Z) : V := o_each V op 7 Opaque 0 [0%N] [m 0%N i].
Definition turns : list (event V) :=
  [Rd V 0 [0%Z] (m 0%N [0%Z]); Wr V 0 [0%Z] (made [0%Z]); Rd V 0 [1%Z] (m 0%N [1%Z]); Wr V 0 [1%Z] (made [1%Z])].
Lemma two_indices i : inbox two [0%N] i -> i = [0%Z] \/ i = [1%Z].
Proof. unfold inbox. simpl. intuition. Qed.
Example one_after_the_other : exists m', does two V in_place_step m turns m' /\ allowed V in_place_step turns /\ computes two V op in_place_step turns.
Proof.
  eexists. split; [|split].
  - unfold turns. change (m 0%N [0%Z]) with (elem two V m both [0%Z]) at 1. eapply Reads; [reflexivity | unfold inbox; simpl; auto |].
    eapply Writes; [reflexivity | unfold inbox; simpl; auto |].
    match goal with |- does _ _ _ ?k (Rd _ _ _ ?u :: _) _ => change u with (elem two V k both [1%Z]) end.
    eapply Reads; [reflexivity | unfold inbox; simpl; auto |]. eapply Writes; [reflexivity | unfold inbox; simpl; auto | apply Nothing].
  - intros l1 b j v l2 a i u E I. assert (L : a = 0%nat /\ i = [1%Z] /\ b = 0%nat /\ j = [0%Z]).
    { unfold turns in E. destruct l1 as [|e1 [|e2 [|e3 [|e4 l1]]]]; inversion E; subst; simpl in I; try (destruct l1; discriminate);
      repeat match goal with H : _ \/ _ |- _ => destruct H end; try contradiction; try discriminate; inversion H; auto. }
    destruct L as (-> & -> & -> & ->). split; [discriminate | intros _ _; discriminate].
  - intros [|b] w i Hw Hi; [|destruct b; discriminate]. inversion Hw; subst w. destruct (two_indices i Hi) as [->| ->].
    + exists [Rd V 0 [0%Z] (m 0%N [0%Z])], (made [0%Z]), [Rd V 0 [1%Z] (m 0%N [1%Z]); Wr V 0 [1%Z] (made [1%Z])].
      split; [reflexivity|]. split; [intros u [H|[H|[]]]; discriminate|]. intros k H. unfold result. simpl. unfold made.
      rewrite (H 0%nat both [0%Z] (m 0%N [0%Z])); [reflexivity | left; reflexivity | reflexivity].
    + exists [Rd V 0 [0%Z] (m 0%N [0%Z]); Wr V 0 [0%Z] (made [0%Z]); Rd V 0 [1%Z] (m 0%N [1%Z])], (made [1%Z]), [].
      split; [reflexivity|]. split; [intros u []|]. intros k H. unfold result. simpl. unfold made.
      rewrite (H 0%nat both [1%Z] (m 0%N [1%Z])); [reflexivity | right; right; left; reflexivity | reflexivity].
Qed.
End Two.
