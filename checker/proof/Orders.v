(* Why every order of the steps that edges allow ends in the memory in which the listed one ends, if the steps are clean and two
   that meet are joined by a path ([orders_right], Sem.v): neighbours that no path joins are exchanged, one after the other. *)
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

(* --- all steps --- *)
Definition exchanged (j k : N) : Prop := forall m m2, runs [j; k] m m2 -> runs [k; j] m m2.
Lemma runs_app l1 l2 m m2 : runs (l1 ++ l2) m m2 <-> exists m1, runs l1 m m1 /\ runs l2 m1 m2.
Proof.
  revert m. induction l1 as [|k l1 IH]; intros m; simpl; split.
  - intros H. exists m. split; [constructor | auto].
  - intros (m1 & H & H2). inversion H; subst. auto.
  - intros H. inversion H; subst. apply IH in H6 as (m1' & H6 & H7). exists m1'. split; auto. econstructor; eauto.
  - intros (m1 & H & H2). inversion H; subst. econstructor; eauto. apply IH. eauto.
Qed.
(* A step that may be exchanged with all that come before it comes first. *)
Lemma comes_first k l1 l2 m m2 : (forall j, In j l1 -> exchanged j k) -> runs (l1 ++ k :: l2) m m2 -> runs (k :: l1 ++ l2) m m2.
Proof.
  revert m. induction l1 as [|j l1 IH]; intros m F R; auto. simpl in R. inversion R as [|? s ? ? m1 ? Gs Es R1]; subst.
  apply IH in R1; [|intros; apply F; right; auto]. inversion R1 as [|? u ? ? m3 ? Gu Eu R3]; subst.
  assert (E : runs [k; j] m m3) by (apply F; [left; auto|]; econstructor; eauto; econstructor; eauto; constructor).
  apply (runs_app [k; j] (l1 ++ l2)). eauto.
Qed.
Definition ascending := fix f (l : list N) : Prop := match l with [] => True | k :: r => (forall j, In j r -> (k < j)%N) /\ f r end.
Lemma ascending_app l1 k l2 : ascending (l1 ++ k :: l2) -> (forall j, In j l1 -> (j < k)%N) /\ ascending (l1 ++ l2).
Proof.
  induction l1 as [|a l1 IH]; simpl; intros [H1 H2]; [split; [intros j [] | auto]|]. apply IH in H2 as [H2 H3]. split.
  - intros j [->|H]; auto. apply H1. apply in_or_app. right; left; auto.
  - split; auto. intros j H. apply H1. apply in_app_or in H as [H|H]; apply in_or_app; auto. right; right; auto.
Qed.
Lemma reordered p : forall l m m2, Permutation p l -> ascending l ->
  (forall j k, In j l -> In k l -> (j < k)%N -> before p k j -> exchanged j k) -> runs l m m2 -> runs p m m2.
Proof.
  induction p as [|k p IH]; intros l m m2 P A F R.
  - apply Permutation_nil in P. subst. auto.
  - assert (I : In k l) by (eapply Permutation_in; eauto; left; auto). apply in_split in I as (l1 & l2 & ->).
    destruct (ascending_app _ _ _ A) as [L A']. assert (P' : Permutation p (l1 ++ l2)) by (eapply Permutation_cons_app_inv; eauto).
    apply comes_first in R.
    + inversion R; subst. econstructor; eauto. eapply IH; eauto. intros i j Hi Hj Lt (a & b & E & B). apply F; auto.
      * apply in_app_or in Hi as [?|?]; apply in_or_app; simpl; auto.
      * apply in_app_or in Hj as [?|?]; apply in_or_app; simpl; auto.
      * exists (k :: a), b. rewrite E. auto.
    + intros j Hj. apply F; auto; try (apply in_or_app; simpl; auto). exists [], p. split; auto.
      eapply Permutation_in; [symmetry; eauto|]. apply in_or_app; auto.
Qed.
Lemma in_listed k : In k listed <-> (k < t_n t)%N.
Proof.
  unfold listed. rewrite in_map_iff. split.
  - intros (x & <- & H). apply in_seq in H. lia.
  - intros H. exists (N.to_nat k). split; [lia|]. apply in_seq. lia.
Qed.
Lemma ascending_listed : ascending listed.
Proof.
  unfold listed. generalize 0%nat. induction (N.to_nat (t_n t)) as [|n IH]; intros a; simpl; auto. split; auto.
  intros j H. apply in_map_iff in H as (x & <- & H). apply in_seq in H. lia.
Qed.
Lemma listed_runs at_ : run nv V op t at_ -> runs listed (at_ 0%N) (at_ (t_n t)).
Proof.
  intros (E & G & _). unfold listed.
  assert (H : forall n a, (a + n <= N.to_nat (t_n t))%nat -> runs (map N.of_nat (seq a n)) (at_ (N.of_nat a)) (at_ (N.of_nat (a + n)))).
  { induction n as [|n IH]; intros a L; simpl.
    - rewrite Nat.add_0_r. constructor.
    - assert (B : (N.of_nat a < t_n t)%N) by lia. destruct (get (N.of_nat a) (t_steps t)) as [s|] eqn:Es; [|destruct (G _ B Es)].
      econstructor; [eauto | apply E; eauto |]. replace (N.succ (N.of_nat a)) with (N.of_nat (S a)) by lia.
      replace (a + S n)%nat with (S a + n)%nat by lia. apply IH. lia. }
  specialize (H (N.to_nat (t_n t)) 0%nat). rewrite Nat.add_0_l, N2Nat.id in H. apply H. lia.
Qed.

Hypothesis any : t_any t = true.
Hypothesis joined : orders_right nv t.
Hypothesis all_clean : forall k s, (k < t_n t)%N -> get k (t_steps t) = Some s -> clean nv s.
Hypothesis all_shaped : forall k s, (k < t_n t)%N -> get k (t_steps t) = Some s -> one_shape s.
Lemma no_path_separate j k s u : (j < k)%N -> (k < t_n t)%N -> get j (t_steps t) = Some s -> get k (t_steps t) = Some u ->
  ~ (s_origin s = s_origin u \/ path (t_edges t) (s_origin s) (s_origin u)) -> separate s u.
Proof.
  intros L B Hs Hu No v w Hv Hw W st c H. apply No. right. destruct (joined any) as [_ J].
  apply (J j k s u v w); auto. intros A. apply (A st c H).
Qed.
(* Whoever runs in an order that edges allow can end as the listed order does; *)
Theorem order_runs l at_ : order_allowed l -> run nv V op t at_ -> runs l (at_ 0%N) (at_ (t_n t)).
Proof.
  intros [P O] R. eapply reordered; eauto; [apply ascending_listed | | apply listed_runs; auto].
  intros j k Hj Hk L B m m2 X. apply in_listed in Hj, Hk. inversion X as [|? s ? ? m1 ? Gs Es X1]; subst.
  inversion X1 as [|? u ? ? ? ? Gu Eu X2]; subst. inversion X2; subst.
  destruct (exchange s u m m1 m2) as (x & E1 & E2); eauto.
  - apply (no_path_separate j k); auto. intros J. apply (O j k s u L Gs Gu J B).
  - repeat (econstructor; eauto).
Qed.
Lemma runs_alike l : (forall k, In k l -> (k < t_n t)%N) -> forall m m1 k k1, runs l m m1 -> runs l k k1 ->
  (forall st c, m st c = k st c) -> forall st c, m1 st c = k1 st c.
Proof.
  induction l as [|x l IH]; intros B m m1 k k1 R1 R2 E; inversion R1; inversion R2; subst; auto.
  match goal with H : get x _ = Some ?a, H' : get x _ = Some ?b |- _ => rewrite H in H'; inversion H'; subst end.
  eapply IH; eauto; [intros; apply B; right; auto|]. assert (x < t_n t)%N by (apply B; left; auto). eapply exec_alike; eauto.
Qed.
(* and it cannot end otherwise. *)
Theorem order_ends_alike l at_ m' : order_allowed l -> run nv V op t at_ -> runs l (at_ 0%N) m' ->
  forall st c, m' st c = at_ (t_n t) st c.
Proof.
  intros O R R' . apply (runs_alike l) with (m := at_ 0%N) (k := at_ 0%N); auto; [|apply order_runs; auto].
  intros k H. apply in_listed. destruct O as [P _]. eapply Permutation_in; eauto.
Qed.
End Orders.
