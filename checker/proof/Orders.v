(* Two clean steps, one after the other, of which none writes what the other reads or writes: exchanged, they lead to the same
   memory. *)
Require Import List ZArith NArith Bool Lia FMapPositive Permutation.
From NC Require Import Sem.
Import ListNotations.

Section Orders.
Variable nv : num -> Z.
Variable V : Type.
Variable op : ops V.
Variable t : trace.
Notation mem := (mem V).
Notation exec := (exec nv V op t).

(* --- what is meant --- *)
(* What is read element by element has the shape of what is written: such a step looks at nothing but the elements of its reads. *)
Definition one_shape (s : step) : Prop :=
  s_kind s = Move \/ (s_kind s = Opaque /\ s_elem s = true) ->
  forall r w, In r (s_reads s) -> In w (s_writes s) -> map nv (v_sh r) = map nv (v_sh w).
(* Nothing that one of the two writes is read or written by the other. *)
Definition separate (s u : step) : Prop :=
  forall v w, In v (s_reads s ++ s_writes s) -> In w (s_reads u ++ s_writes u) ->
    In v (s_writes s) \/ In w (s_writes u) -> apart nv v w.
(* The steps of these numbers, one after the other, lead from one memory to another. *)
Inductive runs : list N -> mem -> mem -> Prop :=
| Done m : runs [] m m
| Next k s l m m1 m2 : get k (t_steps t) = Some s -> exec s m m1 -> runs l m1 m2 -> runs (k :: l) m m2.
Definition before (l : list N) (j k : N) : Prop := exists a b, l = a ++ j :: b /\ In k b.
Definition listed : list N := map N.of_nat (seq 0 (N.to_nat (t_n t))).
(* All steps, each once; two of one graph step, and two whose graph steps a path joins, as they are listed. *)
Definition order_allowed (l : list N) : Prop :=
  Permutation l listed /\
  forall j k s u, (j < k)%N -> get j (t_steps t) = Some s -> get k (t_steps t) = Some u ->
    s_origin s = s_origin u \/ path (t_edges t) (s_origin s) (s_origin u) -> ~ before l k j.

(* --- two steps --- *)
Definition writes_it (s : step) (st : N) (c : list Z) : bool :=
  existsb (fun w => N.eqb (v_st w) st &&
    existsb (fun i => if list_eq_dec Z.eq_dec (root nv (v_maps w) i) c then true else false) (box (map nv (v_sh w)))) (s_writes s).
Lemma writes_it_iff s st c : writes_it s st c = true <-> exists w, In w (s_writes s) /\ holds_cell nv w st c.
Proof.
  unfold writes_it, holds_cell, inbox. rewrite existsb_exists. split.
  - intros (w & Hw & H). apply andb_prop in H as [H1 H2]. apply N.eqb_eq in H1. apply existsb_exists in H2 as (i & Hi & H2).
    destruct (list_eq_dec Z.eq_dec (root nv (v_maps w) i) c); [|discriminate]. exists w. split; auto. split; auto. exists i. auto.
  - intros (w & Hw & H1 & i & Hi & H2). exists w. split; auto. rewrite H1, N.eqb_refl. simpl. apply existsb_exists. exists i. split; auto.
    destruct (list_eq_dec Z.eq_dec (root nv (v_maps w) i) c); auto.
Qed.
Lemma writes_it_not s st c : writes_it s st c = false -> forall w, In w (s_writes s) -> ~ holds_cell nv w st c.
Proof. intros E w Hw H. assert (writes_it s st c = true) by (apply writes_it_iff; eauto). congruence. Qed.
Definition sees_alike (s : step) (m m' : mem) : Prop :=
  forall r i, In r (s_reads s) -> inbox nv (v_sh r) i -> elem nv V m r i = elem nv V m' r i.
Lemma result_alike s m m' : one_shape s -> sees_alike s m m' ->
  forall b w i, nth_error (s_writes s) b = Some w -> inbox nv (v_sh w) i -> result nv V op s m b i = result nv V op s m' b i.
Proof.
  intros O A b w i Hw Hi. unfold result. rewrite Hw. pose proof (nth_error_In _ _ Hw) as Iw. destruct (s_kind s) eqn:K; auto.
  - destruct (s_reads s) as [|r l] eqn:R; auto. assert (E : elem nv V m r i = elem nv V m' r i).
    { apply A; [rewrite R; left; auto|]. unfold inbox in *. rewrite (O (or_introl K) r w); auto. rewrite R; left; auto. }
    rewrite E. auto.
  - destruct (s_elem s) eqn:El.
    + f_equal. apply map_ext_in. intros r Hr. apply A; auto. unfold inbox in *. rewrite (O (or_intror (conj K El)) r w); auto.
    + f_equal. apply map_ext_in. intros r Hr. unfold operand. f_equal. apply map_ext_in. intros j Hj. apply A; auto.
Qed.
(* What a clean step leaves is what it makes of what it reads, and the rest as it was. *)
Lemma exec_alike s m m1 k k1 : clean nv s -> one_shape s -> exec s m m1 -> exec s k k1 ->
  (forall st c, m st c = k st c) -> forall st c, m1 st c = k1 st c.
Proof.
  intros C O (_ & S1 & R1) (_ & S2 & R2) E st c. destruct (writes_it s st c) eqn:W.
  - apply writes_it_iff in W as (w & Hw & Hs & i & Hi & Hc). apply In_nth_error in Hw as (b & Hb). subst st c.
    rewrite (R1 C b w i), (R2 C b w i); auto. eapply result_alike; eauto. intros r j _ _. apply E.
  - rewrite S1, S2; auto; apply writes_it_not; auto.
Qed.
Theorem exchange s u m m1 m2 : clean nv s -> clean nv u -> one_shape s -> one_shape u -> separate s u ->
  exec s m m1 -> exec u m1 m2 -> exists k, exec u m k /\ exec s k m2.
Proof.
  intros Cs Cu Os Ou Sep (Bs & Ss & Rs) (Bu & Su & Ru).
  set (k := (fun st c => if writes_it u st c then m2 st c else m st c) : mem).
  assert (Same : forall st c, writes_it u st c = false -> k st c = m st c) by (intros st c W; unfold k; rewrite W; auto).
  assert (Not_u : forall v i, In v (s_reads s ++ s_writes s) -> inbox nv (v_sh v) i ->
            writes_it u (v_st v) (root nv (v_maps v) i) = false).
  { intros v i Hv Hi. destruct (writes_it u (v_st v) (root nv (v_maps v) i)) eqn:W; auto. exfalso.
    apply writes_it_iff in W as (w & Hw & H).
    apply (Sep v w Hv (in_or_app _ _ _ (or_intror Hw)) (or_intror Hw) (v_st v) (root nv (v_maps v) i)). split; auto. split; auto. exists i; auto. }
  assert (Not_s : forall v i, In v (s_reads u ++ s_writes u) -> inbox nv (v_sh v) i ->
            forall w, In w (s_writes s) -> ~ holds_cell nv w (v_st v) (root nv (v_maps v) i)).
  { intros v i Hv Hi w Hw H. apply (Sep w v (in_or_app _ _ _ (or_intror Hw)) Hv (or_introl Hw) (v_st v) (root nv (v_maps v) i)).
    split; auto. split; auto. exists i; auto. }
  exists k. split; split; auto; split.
  - intros st c H. apply Same. destruct (writes_it u st c) eqn:W; auto. apply writes_it_iff in W as (w & Hw & W). destruct (H w Hw W).
  - intros _ b w i Hb Hi. unfold k. replace (writes_it u (v_st w) (root nv (v_maps w) i)) with true.
    + rewrite (Ru Cu b w i Hb Hi). eapply result_alike; eauto. intros r j Hr Hj. unfold elem. apply Ss. apply Not_s; auto.
      apply in_or_app; auto.
    + symmetry. apply writes_it_iff. exists w. split; [eapply nth_error_In; eauto|]. split; auto. exists i; auto.
  - intros st c H. unfold k. destruct (writes_it u st c) eqn:W; auto. rewrite Su by (apply writes_it_not; auto). auto.
  - intros _ b w i Hb Hi. rewrite Su; [|apply writes_it_not, Not_u; auto; apply in_or_app; right; eapply nth_error_In; eauto].
    rewrite (Rs Cs b w i Hb Hi). eapply result_alike; eauto. intros r j Hr Hj. unfold elem. symmetry. apply Same. apply Not_u; auto.
    apply in_or_app; auto.
Qed.
End Orders.
