(* Why every order of the steps that edges allow ends in the memory in which the listed one ends, and gives each step what it
   finds in the listed one, if steps are clean and two that meet are joined by a path ([orders_right], Sem.v): neighbours that
   no path joins are exchanged, one after the other. *)
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
(* What is read element by element has the shape of what is written, which the reader asks of a text (form.ml): such a step looks
   at nothing but the elements of its reads. *)
Definition one_shape (s : step) : Prop :=
  s_kind s = Move \/ (s_kind s = Opaque /\ s_elem s = true) ->
  forall r w, In r (s_reads s) -> In w (s_writes s) -> map nv (v_sh r) = map nv (v_sh w).
(* What one of the two writes is neither read nor written by the other. *)
Definition separate (s u : step) : Prop :=
  forall v w, In v (s_reads s ++ s_writes s) -> In w (s_reads u ++ s_writes u) ->
    In v (s_writes s) \/ In w (s_writes u) -> apart nv v w.
(* It finds the same in all that it reads. *)
Definition sees_alike (s : step) (m m' : mem) : Prop :=
  forall r i, In r (s_reads s) -> inbox nv (v_sh r) i -> elem nv V m r i = elem nv V m' r i.
(* The steps of these numbers, one after the other, lead from one memory to another. *)
Inductive runs : list N -> mem -> mem -> Prop :=
| Done m : runs [] m m
| Next k s l m m1 m2 : get k (t_steps t) = Some s -> exec s m m1 -> runs l m1 m2 -> runs (k :: l) m m2.
(* j stands before k; the first n numbers. *)
Definition before (l : list N) (j k : N) : Prop := exists a b, l = a ++ j :: b /\ In k b.
Definition first (n : N) : list N := map N.of_nat (seq 0 (N.to_nat n)).
Definition listed : list N := first (t_n t).
(* All steps, each once; two of one graph step, and two whose graph steps a path joins, one after the other as they are listed. *)
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
Theorem exchange s u m m1 m2 : one_shape s -> one_shape u -> separate s u ->
  exec s m m1 -> exec u m1 m2 -> exists k, exec u m k /\ exec s k m2.
Proof.
  intros Os Ou Sep (Bs & Ss & Rs) (Bu & Su & Ru).
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
  - intros Cu b w i Hb Hi. unfold k. replace (writes_it u (v_st w) (root nv (v_maps w) i)) with true.
    + rewrite (Ru Cu b w i Hb Hi). eapply result_alike; eauto. intros r j Hr Hj. unfold elem. apply Ss. apply Not_s; auto.
      apply in_or_app; auto.
    + symmetry. apply writes_it_iff. exists w. split; [eapply nth_error_In; eauto|]. split; auto. exists i; auto.
  - intros st c H. unfold k. destruct (writes_it u st c) eqn:W; auto. rewrite Su by (apply writes_it_not; auto). auto.
  - intros Cs b w i Hb Hi. rewrite Su; [|apply writes_it_not, Not_u; auto; apply in_or_app; right; eapply nth_error_In; eauto].
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
Lemma in_first k n : In k (first n) <-> (k < n)%N.
Proof.
  unfold first. rewrite in_map_iff. split.
  - intros (x & <- & H). apply in_seq in H. lia.
  - intros H. exists (N.to_nat k). split; [lia|]. apply in_seq. lia.
Qed.
Lemma ascending_first n : ascending (first n).
Proof.
  unfold first. generalize 0%nat. induction (N.to_nat n) as [|x IH]; intros a; simpl; auto. split; auto.
  intros j H. apply in_map_iff in H as (y & <- & H). apply in_seq in H. lia.
Qed.
Lemma first_runs at_ n : run nv V op t at_ -> (n <= t_n t)%N -> runs (first n) (at_ 0%N) (at_ n).
Proof.
  intros (E & G & _) L. unfold first.
  assert (H : forall x a, (a + x <= N.to_nat n)%nat -> runs (map N.of_nat (seq a x)) (at_ (N.of_nat a)) (at_ (N.of_nat (a + x)))).
  { induction x as [|x IH]; intros a L'; simpl.
    - rewrite Nat.add_0_r. constructor.
    - assert (B : (N.of_nat a < t_n t)%N) by lia. destruct (get (N.of_nat a) (t_steps t)) as [s|] eqn:Es; [|destruct (G _ B Es)].
      econstructor; [eauto | apply E; eauto |]. replace (N.succ (N.of_nat a)) with (N.of_nat (S a)) by lia.
      replace (a + S x)%nat with (S a + x)%nat by lia. apply IH. lia. }
  specialize (H (N.to_nat n) 0%nat). rewrite Nat.add_0_l, N2Nat.id in H. apply H. lia.
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
Lemma separate_sym s u : separate s u -> separate u s.
Proof. intros S v w Hv Hw W st c [H1 H2]. apply (S w v Hw Hv) with (s := st) (c := c); tauto. Qed.
Lemma exchanged_separate j k : (forall s u, get j (t_steps t) = Some s -> get k (t_steps t) = Some u -> separate s u) ->
  (j < t_n t)%N -> (k < t_n t)%N -> exchanged j k.
Proof.
  intros S Hj Hk m m2 X. inversion X as [|? s ? ? m1 ? Gs Es X1]; subst.
  inversion X1 as [|? u ? ? ? ? Gu Eu X2]; subst. inversion X2; subst.
  destruct (exchange s u m m1 m2) as (x & E1 & E2); eauto. repeat (econstructor; eauto).
Qed.
Lemma overtaken l j k : order_allowed l -> (j < k)%N -> (k < t_n t)%N -> before l k j ->
  forall s u, get j (t_steps t) = Some s -> get k (t_steps t) = Some u -> separate s u.
Proof. intros [_ O] L Hk B s u Gs Gu. apply (no_path_separate j k); auto. intros J. apply (O j k s u L Gs Gu J B). Qed.
(* A run in an order that edges allow can end as the listed one does; *)
Theorem order_runs l at_ : order_allowed l -> run nv V op t at_ -> runs l (at_ 0%N) (at_ (t_n t)).
Proof.
  intros O R. apply (reordered l listed); [apply O | apply ascending_first | | apply first_runs; [auto | lia]].
  intros j k Hj Hk L B. apply in_first in Hj, Hk. apply exchanged_separate; auto. apply (overtaken l); auto.
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
  intros k H. apply in_first. destruct O as [P _]. eapply Permutation_in; eauto.
Qed.

(* --- what each step finds --- *)
Lemma comes_later k l1 l2 m m2 : (forall j, In j l1 -> exchanged k j) -> runs (k :: l1 ++ l2) m m2 -> runs (l1 ++ k :: l2) m m2.
Proof.
  revert m. induction l1 as [|j l1 IH]; intros m F R; auto. apply (runs_app [k; j] (l1 ++ l2)) in R as (m1 & R & R1).
  apply F in R; [|left; auto]. inversion R as [|? s ? ? m3 ? Gs Es R3]; subst. simpl. econstructor; eauto.
  apply IH; [intros; apply F; right; auto|]. apply (runs_app [k] (l1 ++ l2)). eauto.
Qed.
Lemma parted f a : forall m m2, (forall x y, before a x y -> f x = false -> f y = true -> exchanged x y) ->
  runs a m m2 -> runs (filter f a ++ filter (fun x => negb (f x)) a) m m2.
Proof.
  induction a as [|x a IH]; intros m m2 F R; auto. inversion R as [|? s ? ? m1 ? Gs Es R1]; subst.
  apply IH in R1; [|intros y z (b & c & E & I); apply F; exists (x :: b), c; rewrite E; auto].
  simpl. destruct (f x) eqn:Fx; simpl; [econstructor; eauto|]. apply comes_later; [|econstructor; eauto].
  intros y Hy. apply filter_In in Hy as [Hy Fy]. apply F; auto. exists [], a. auto.
Qed.
Lemma not_written l st c : forall m m1, runs l m m1 ->
  (forall k s w, In k l -> get k (t_steps t) = Some s -> In w (s_writes s) -> ~ holds_cell nv w st c) -> m1 st c = m st c.
Proof.
  induction l as [|k l IH]; intros m m1 R H; inversion R as [|? s ? ? m2 ? Gs Es R1]; subst; auto.
  rewrite (IH m2 m1); auto; [|intros; eapply H; eauto; right; auto]. destruct Es as (_ & S & _). apply S. intros w Hw. eapply H; eauto. left; auto.
Qed.
Lemma separate_not_written s u r i : separate s u -> In r (s_reads u) -> inbox nv (v_sh r) i ->
  forall w, In w (s_writes s) -> ~ holds_cell nv w (v_st r) (root nv (v_maps r) i).
Proof.
  intros S Hr Hi w Hw H. apply (S w r (in_or_app _ _ _ (or_intror Hw)) (in_or_app _ _ _ (or_introl Hr)) (or_introl Hw)
    (v_st r) (root nv (v_maps r) i)). split; auto. split; auto. exists i; auto.
Qed.
Lemma ascending_nodup l : ascending l -> NoDup l.
Proof. induction l; simpl; intros H; constructor; [|apply IHl; tauto]. intros I. apply H in I. lia. Qed.
Lemma ascending_filter f l : ascending l -> ascending (filter f l).
Proof.
  induction l as [|x l IH]; simpl; auto. intros [H1 H2]. destruct (f x); simpl; auto. split; auto.
  intros j H. apply filter_In in H. apply H1. tauto.
Qed.
Lemma ascending_before l x y : ascending l -> before l x y -> (x < y)%N.
Proof. intros A (a & b & -> & I). induction a; simpl in A; destruct A as [A1 A2]; auto. Qed.
Lemma before_app a b x y : before (a ++ b) x y -> before a x y \/ (In x a /\ In y b) \/ before b x y.
Proof.
  induction a as [|z a IH]; simpl; auto. intros ([|z' c] & d & E & I); inversion E; subst.
  - apply in_app_or in I as [I|I]; [left; exists [], a | right; left]; auto.
  - destruct IH as [(e & g & -> & J)|[[J K]|J]]; [exists c, d; auto | left; exists (z' :: e), g; auto | auto | auto].
Qed.
Lemma before_filter f l x y : before (filter f l) x y -> before l x y.
Proof.
  induction l as [|z l IH]; simpl; auto. intros H. destruct (f z); [destruct H as ([|z' c] & d & E & I); inversion E; subst|].
  - exists [], l. split; auto. apply filter_In in I. tauto.
  - destruct IH as (e & g & -> & J); [exists c, d; auto|]. exists (z' :: e), g. auto.
  - destruct IH as (e & g & -> & J); auto. exists (z :: e), g. auto.
Qed.
(* Each step finds in what it reads what it finds there in the listed order. *)
Theorem order_reads_alike a k b at_ m s : order_allowed (a ++ k :: b) -> run nv V op t at_ -> runs a (at_ 0%N) m ->
  get k (t_steps t) = Some s -> sees_alike s m (at_ k).
Proof.
  intros O R Ra Gs r i Hr Hi. pose (l := a ++ k :: b). fold l in O.
  assert (Nl : NoDup l) by (eapply Permutation_NoDup; [symmetry; apply O | apply ascending_nodup, ascending_first]).
  assert (In_l : forall x, In x l <-> (x < t_n t)%N).
  { intros x. rewrite <- in_first. destruct O as [P _]. split; apply Permutation_in; auto. symmetry; auto. }
  assert (Hk : (k < t_n t)%N) by (apply In_l; apply in_or_app; right; left; auto).
  assert (Ina : forall x, In x a -> (x < t_n t)%N /\ before l x k).
  { intros x Hx. split; [apply In_l; apply in_or_app; auto|]. apply in_split in Hx as (c & d & ->). exists c, (d ++ k :: b).
    split; [unfold l; rewrite <- app_assoc; auto|]. apply in_or_app. right; left; auto. }
  assert (Bl : forall x y, before a x y -> before l x y).
  { intros x y (c & d & -> & I). exists c, (d ++ k :: b). split; [unfold l; rewrite <- app_assoc; auto|]. apply in_or_app. auto. }
  (* steps before k in both orders, then those that overtake it; *)
  set (small := fun x => N.ltb x k). assert (Ra' : runs (filter small a ++ filter (fun x => negb (small x)) a) (at_ 0%N) m).
  { apply parted; auto. intros x y B Fx Fy. assert (y < k <= x)%N by (unfold small in *; apply N.ltb_ge in Fx; apply N.ltb_lt in Fy; lia).
    assert (Lx : (x < t_n t)%N) by (apply Ina; destruct B as (c & d & -> & I); apply in_or_app; right; left; auto).
    apply exchanged_separate; try lia. intros u v Gu Gv. apply separate_sym. apply (overtaken l y x); auto; lia. }
  (* or those that k overtakes *)
  set (late := fun x => negb (existsb (N.eqb x) a)).
  assert (Late : forall x, late x = true <-> ~ In x a).
  { intros x. unfold late. rewrite negb_true_iff. split.
    - intros E I. assert (existsb (N.eqb x) a = true) by (apply existsb_exists; exists x; split; auto; apply N.eqb_refl). congruence.
    - intros I. destruct (existsb (N.eqb x) a) eqn:E; auto. apply existsb_exists in E as (y & Hy & E). apply N.eqb_eq in E. subst. tauto. }
  assert (Overtaken : forall x, In x (filter late (first k)) -> (x < k)%N /\ ~ In x a /\ before l k x).
  { intros x Hx. apply filter_In in Hx as [Hx Fx]. apply in_first in Hx. apply Late in Fx. repeat split; auto.
    assert (Ix : In x l) by (apply In_l; lia). apply in_app_or in Ix as [Ix|[Ix|Ix]]; [tauto | lia |]. exists a, b. auto. }
  assert (Rl : runs (filter small a ++ filter late (first k)) (at_ 0%N) (at_ k)).
  { apply (reordered _ (first k)); [| apply ascending_first | | apply first_runs; auto; lia].
    - apply NoDup_Permutation; [| apply ascending_nodup, ascending_first |].
      + apply (Permutation_NoDup (l := filter late (first k) ++ filter small a)); [apply Permutation_app_comm|].
        assert (Na : NoDup (filter small a)) by (apply NoDup_filter; clear -Nl; unfold l in Nl; induction a; [constructor|];
          inversion Nl; subst; constructor; [intros I; apply H1; apply in_or_app; auto | auto]).
        pose proof (ascending_nodup _ (ascending_filter late _ (ascending_first k))) as Nf.
        induction (filter late (first k)) as [|x f IH]; auto. inversion Nf; subst. simpl. constructor.
        * intros I. apply in_app_or in I as [I|I]; [tauto|]. apply filter_In in I. destruct (Overtaken x) as (_ & Ov & _); [left; auto|]. tauto.
        * apply IH; auto. intros y Hy. apply Overtaken. right; auto.
      + intros x. rewrite in_app_iff, !filter_In, in_first, Late. unfold small. rewrite N.ltb_lt.
        destruct (in_dec N.eq_dec x a); tauto.
    - intros x y Hx Hy L B. apply in_first in Hx, Hy. apply exchanged_separate; try lia. apply (overtaken l); auto; [lia|].
      apply before_app in B as [B|[[Iy Ix]|B]].
      + apply Bl. eapply before_filter; eauto.
      + apply filter_In in Iy as [Iy _]. destruct (Overtaken x Ix) as (_ & Nx & _). apply in_split in Iy as (c & d & E).
        exists c, (d ++ k :: b). unfold l. rewrite E, <- app_assoc. split; auto. apply in_or_app. right.
        assert (Ix' : In x l) by (apply In_l; lia). apply in_app_or in Ix' as [?|?]; tauto.
      + apply ascending_before in B; [lia|]. apply ascending_filter, ascending_first. }
  apply runs_app in Ra' as (m1 & S1 & S2). apply runs_app in Rl as (m2 & T1 & T2).
  assert (E : m1 (v_st r) (root nv (v_maps r) i) = m2 (v_st r) (root nv (v_maps r) i)).
  { apply (runs_alike (filter small a)) with (m := at_ 0%N) (k := at_ 0%N); auto. intros x Hx. apply filter_In in Hx as [Hx _]. apply Ina; auto. }
  unfold elem. rewrite (not_written _ (v_st r) (root nv (v_maps r) i) _ _ S2), E.
  - symmetry. apply (not_written _ _ _ _ _ T2). intros x u w Hx Gu Hw. destruct (Overtaken x Hx) as (L & _ & B).
    apply (separate_not_written u s); auto. apply (overtaken l x k); auto.
  - intros x u w Hx Gu Hw. apply filter_In in Hx as [Hx Fx]. apply negb_true_iff, N.ltb_ge in Fx. destruct (Ina x Hx) as [Lx B].
    apply (separate_not_written u s); auto. apply separate_sym. apply (overtaken l k x); auto.
    assert (x <> k) by (intros ->; unfold l in Nl; apply NoDup_remove_2 in Nl; apply Nl; apply in_or_app; auto). lia.
Qed.
End Orders.

(* What a caller sees of a Trace that is right (Sem.v) is the same in every order that edges allow. *)
Corollary every_order_is_right nv V c b a mb ma (op : ops V) l m' : right nv V c b a mb ma -> t_any a = true ->
  (forall k s, (k < t_n a)%N -> get k (t_steps a) = Some s -> one_shape nv s) ->
  run nv V op a ma -> order_allowed a l -> runs nv V op a l (ma 0%N) m' ->
  same_outputs nv V b a (mb (t_n b)) m' /\ (b_alone c = false -> same_exit nv V b a (mb (t_n b)) m').
Proof.
  intros (_ & _ & _ & [Le So] & Ex & Cl & _ & _ & Or) Any Sh R O R'.
  assert (E : forall st x, m' st x = ma (t_n a) st x) by (apply (order_ends_alike nv V op a Any Or Cl Sh l); auto).
  split; [split; auto|].
  - intros k x y Hx Hy. destruct (So k x y Hx Hy) as [S1 S2]. split; auto. destruct (o_view x), (o_view y); auto.
    destruct S2 as (T & Z & P & F). repeat split; auto. intros i Hi. rewrite F; auto. unfold elem. symmetry. apply E.
  - intros Al. destruct (Ex Al) as [Sx _]. intros s y Gs C L. destruct (Sx s y Gs C L) as (s' & x & G & T & K & F).
    exists s', x. repeat split; auto. intros i Hi. rewrite F; auto.
Qed.

(* It is not about nothing: two numbers are written, in either order, before a third is made of both. *)
Section Three.
Variable nv : num -> Z.
Definition number (st : N) : view := View st 0 [] [].
Definition one_of_three (k : N) : step :=
  match k with
  | 2%N => Step Opaque 7 true [number 0; number 1] [number 2] [[AnyTime]; [AnyTime]] [] 2
  | _ => Step Fill 5 false [] [number k] [] [] k
  end.
Definition three : trace :=
  Trace (PM.empty _) 3 (fold_right (fun k => PM.add (N.succ_pos k) (one_of_three k)) (PM.empty _) [0; 1; 2]%N) 3
    [] [] [] [] true [(0, 2); (1, 2)]%N.
Lemma below_three k : (k < 3)%N -> k = 0%N \/ k = 1%N \/ k = 2%N.
Proof. lia. Qed.
Lemma step_of_three k s : (k < 3)%N -> get k (t_steps three) = Some s -> s = one_of_three k.
Proof. intros L G. destruct (below_three k L) as [->|[->| ->]]; vm_compute in G; inversion G; reflexivity. Qed.
Lemma numbers_apart x y : x <> y -> apart nv (number x) (number y).
Proof. intros D s c [[E _] [F _]]. simpl in *. congruence. Qed.
Example other_way_round : order_allowed three [1; 0; 2]%N.
Proof.
  split; [apply perm_swap|]. intros j k s u L Gs Gu J (a & b & E & I). assert (k = 1 /\ j = 0)%N as [-> ->].
  { destruct a as [|? [|? [|? [|? a]]]]; inversion E; subst; simpl in I; intuition (subst; try lia; auto). }
  apply step_of_three in Gs, Gu; try lia. subst. simpl in J. destruct J as [J|J]; [discriminate|].
  inversion J as [? ? H|? ? ? H H']; subst; simpl in H; intuition; try congruence.
  inversion H0; subst. inversion H'; subst; simpl in *; intuition congruence.
Qed.
Example three_is_ordered : orders_right nv three.
Proof.
  intros _. split.
  - intros x y [H|[H|[]]]; inversion H; reflexivity.
  - intros j k s u v w L Lk Gs Gu _ Hv Hw W A. change (t_n three) with 3%N in Lk. apply step_of_three in Gs, Gu; try lia. subst.
    assert ((j = 0 /\ k = 1) \/ (j = 0 /\ k = 2) \/ (j = 1 /\ k = 2))%N as [[-> ->]|[[-> ->]|[-> ->]]] by lia.
    + destruct Hv as [<-|[]], Hw as [<-|[]]. exfalso. apply A. apply numbers_apart. discriminate.
    + apply Edge. left. reflexivity.
    + apply Edge. right. left. reflexivity.
Qed.
Example three_are_clean k s : (k < 3)%N -> get k (t_steps three) = Some s -> clean nv s /\ one_shape nv s.
Proof.
  intros L G. apply step_of_three in G; auto. subst.
  assert (W : exists w, s_writes (one_of_three k) = [w] /\ v_sh w = []).
  { destruct (below_three k L) as [->|[->| ->]]; eexists; split; reflexivity. }
  destruct W as (w & W & Sh). split; [split; [|split]|].
  - rewrite W. intros x [<-|[]] i j Hi Hj _. unfold inbox in *. rewrite Sh in *. simpl in *. intuition congruence.
  - rewrite W. intros [|a] [|b] x y Hx Hy D; simpl in *; try congruence; destruct a || destruct b; discriminate.
  - intros a b r x Hr Hx. right. right. destruct (below_three k L) as [->|[->| ->]]; simpl in *; try (destruct a; discriminate).
    destruct b as [|[|b]]; try discriminate. inversion Hx; subst.
    destruct a as [|[|[|a]]]; try discriminate; inversion Hr; subst; apply numbers_apart; discriminate.
  - intros _ r x Hr Hx. destruct (below_three k L) as [->|[->| ->]]; simpl in *; intuition; subst; reflexivity.
Qed.
End Three.
