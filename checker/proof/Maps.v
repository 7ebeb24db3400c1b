(* Chains of maps: where they lead, which are injective, and which views are apart. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Latest.
Import ListNotations.

Section Maps.
Context {nv : num -> Z} {cval : knows} {Consts : consts_hold nv cval}.
Notation root := (root nv).
Notation inbox := (inbox nv).
Notation lands := (lands nv).

(* --- chains of maps --- *)
Lemma root_app x y i : root (x ++ y) i = root x (root y i).
Proof. unfold Sem.root. apply fold_right_app. Qed.
Lemma lands_root sp ms i : lands sp ms i -> inbox sp (root ms i).
Proof. destruct ms; simpl; tauto. Qed.
Lemma lands_app_end sp x y i : lands sp (x ++ y) i -> lands (ends sp x) y i.
Proof. revert sp; induction x; simpl; intros; auto. destruct H. auto. Qed.
Lemma lands_app sp sh x y i :
  (forall j, inbox sh j -> lands sp x j) -> lands sh y i -> lands sp (x ++ y) i.
Proof.
  intros Hx Hy. pose proof (Hx _ (lands_root _ _ _ Hy)) as H. clear Hx.
  revert sp H. induction x as [|m x IH]; simpl; intros sp H.
  - destruct y; simpl in *; [auto|]. destruct Hy as [_ Hy]. split; auto.
  - destruct H as [H1 H2]. rewrite root_app. split; auto.
Qed.

(* --- boxes --- *)
Lemma in_range e x : In x (range e) <-> (0 <= x < e)%Z.
Proof.
  unfold range. rewrite in_map_iff. split.
  - intros (n & <- & H). apply in_seq in H. lia.
  - intros H. exists (Z.to_nat x). split; [lia|]. apply in_seq. lia.
Qed.
Lemma in_box_cons e r i : In i (box (e :: r)) <-> exists x j, i = x :: j /\ (0 <= x < e)%Z /\ In j (box r).
Proof.
  simpl. rewrite in_flat_map. split.
  - intros (x & Hx & H). apply in_map_iff in H as (j & <- & Hj). apply in_range in Hx. eauto.
  - intros (x & j & -> & Hx & Hj). exists x. split; [apply in_range; auto | apply in_map; auto].
Qed.
Lemma box_length sh i : In i (box sh) -> length i = length sh.
Proof. revert i; induction sh; intros i H.
  - destruct H as [<-|[]]; auto.
  - apply in_box_cons in H as (x & j & -> & _ & H). simpl. f_equal; auto. Qed.
Lemma box_nth sh i k : In i (box sh) -> (k < length sh)%nat -> (0 <= nth k i 0 < nth k sh 0)%Z.
Proof. revert i k; induction sh; intros i k H Hk; simpl in Hk; [lia|].
  apply in_box_cons in H as (x & j & -> & Hx & H). destruct k; simpl; auto. apply IHsh; auto. lia. Qed.
Lemma empty_box sh i : is_empty cval sh = true -> inbox sh i -> False.
Proof.
  unfold is_empty, Sem.inbox. intros H Hi. apply existsb_exists in H as (e & He & H).
  destruct (cval e) eqn:E; [|discriminate]. apply Z.eqb_eq in H. subst.
  apply In_nth_error in He as (k & He).
  assert (Hl : (k < length (map nv sh))%nat) by (rewrite map_length; apply nth_error_Some; congruence).
  pose proof (box_nth _ _ _ Hi Hl) as B.
  apply (map_nth_error nv) in He. apply (nth_error_nth _ _ 0%Z) in He. rewrite He in B.
  apply cval_ok in E. lia.
Qed.

(* --- injective maps --- *)
Lemma affine_nth fs i d start k s :
  nth_error start k = Some s -> nth k (affine nv fs i d start) 0%Z = affine_at nv fs i (d + N.of_nat k) s.
Proof.
  revert d k; induction start; intros d k H; destruct k; simpl in *; try discriminate.
  - inversion H; subst. f_equal. lia.
  - rewrite (IHstart (N.succ d) k H). f_equal. lia.
Qed.
Lemma existsb_eqb_false x l : existsb (N.eqb x) l = false -> ~ In x l.
Proof. intros H Hin. assert (existsb (N.eqb x) l = true) by (apply existsb_exists; exists x; split; auto; apply N.eqb_refl). congruence. Qed.
Lemma affine_none fs i d s : ~ In d (map from_of fs) -> affine_at nv fs i d s = nv s.
Proof.
  induction fs as [|[[t fr] b] fs IH]; simpl; intros; auto. rewrite IH by tauto.
  destruct (N.eqb_spec fr d); [subst; tauto | lia].
Qed.
Lemma affine_one fs i t d b s :
  nodup (map from_of fs) = true -> In (t, d, b) fs ->
  affine_at nv fs i d s = (nv b * nth (N.to_nat t) i 0 + nv s)%Z.
Proof.
  induction fs as [|[[t' fr] b'] fs IH]; simpl; intros Hn H; [contradiction|].
  apply andb_true_iff in Hn as [Hx Hn]. apply negb_true_iff, existsb_eqb_false in Hx.
  destruct H as [H|H].
  - inversion H; subst. rewrite N.eqb_refl, affine_none; auto.
  - rewrite IH; auto. destruct (N.eqb_spec fr d); [|lia].
    subst. exfalso. apply Hx. unfold from_of at 1; simpl. change d with (from_of (t, d, b)). apply in_map; auto.
Qed.
Lemma told_nth fs to t k e : told cval fs to t = true -> nth_error to k = Some e ->
  tells cval fs (t + N.of_nat k) = true \/ nv e = 1%Z.
Proof.
  revert t k; induction to; intros t k H He; destruct k; simpl in *; try discriminate;
    apply andb_true_iff in H as [H1 H2].
  - inversion He; subst. rewrite N.add_0_r. apply orb_true_iff in H1 as [|]; auto.
    destruct (cval e) eqn:E; [|discriminate]. apply Z.eqb_eq in H. apply cval_ok in E. right; lia.
  - replace (t + N.pos (Pos.of_succ_nat k))%N with (N.succ t + N.of_nat k)%N by lia. eauto.
Qed.
Lemma nth_ext_box sh i j : In i (box sh) -> In j (box sh) ->
  (forall k, (k < length sh)%nat -> nth k i 0%Z = nth k j 0%Z) -> i = j.
Proof. intros Hi Hj H. apply (nth_ext i j 0%Z 0%Z).
  - rewrite (box_length _ _ Hi), (box_length _ _ Hj); auto.
  - intros. apply H. rewrite <- (box_length _ _ Hi). auto. Qed.
Lemma aff_injective from to start fs i j :
  inj_map cval (Aff from to start fs) = true -> inbox to i -> inbox to j ->
  mapfun nv (Aff from to start fs) i = mapfun nv (Aff from to start fs) j -> i = j.
Proof.
  simpl. intros H Hi Hj E. apply andb_true_iff in H as [H Hr]. apply andb_true_iff in H as [Hn Ht].
  unfold Sem.inbox in *. apply (nth_ext_box (map nv to)); auto. intros k Hk.
  pose proof (box_nth _ _ _ Hi Hk) as Bi. pose proof (box_nth _ _ _ Hj Hk) as Bj.
  rewrite map_length in Hk. destruct (nth_error to k) as [e|] eqn:Ek; [|apply nth_error_None in Ek; lia].
  pose proof (map_nth_error nv _ _ Ek) as Em. apply (nth_error_nth _ _ 0%Z) in Em. rewrite Em in *.
  destruct (told_nth _ _ _ _ _ Ht Ek) as [T|T]; [|lia]. simpl in T.
  unfold tells in T. apply existsb_exists in T as ([[t d] b] & Hin & T). simpl in T.
  apply andb_true_iff in T as [T1 T2]. apply N.eqb_eq in T1.
  assert (Nz : nv b <> 0%Z).
  { destruct (cval b) as [z|] eqn:Eb; [apply negb_true_iff, Z.eqb_neq in T2; apply cval_ok in Eb; congruence|].
    apply above_0_ok in T2. lia. }
  clear T2.
  rewrite forallb_forall in Hr. pose proof (Hr _ Hin) as Hd. unfold from_of in Hd; simpl in Hd. apply N.ltb_lt in Hd.
  assert (Hs : exists s, nth_error start (N.to_nat d) = Some s).
  { destruct (nth_error start (N.to_nat d)) eqn:D; eauto. apply nth_error_None in D. lia. }
  destruct Hs as [s Hs].
  pose proof (f_equal (fun l => nth (N.to_nat d) l 0%Z) E) as E'. cbv beta in E'.
  rewrite !(affine_nth _ _ _ _ _ _ Hs) in E'.
  replace (0 + N.of_nat (N.to_nat d))%N with d in E' by lia.
  rewrite !(affine_one _ _ _ _ _ _ Hn Hin) in E'. rewrite T1, Nat2N.id in E'. nia.
Qed.

Lemma flat_inj sh : forall i j x y, In i (box sh) -> In j (box sh) -> flat sh i x = flat sh j y -> x = y /\ i = j.
Proof.
  induction sh; intros i j x y Hi Hj E.
  - destruct Hi as [<-|[]], Hj as [<-|[]]. simpl in E. auto.
  - apply in_box_cons in Hi as (u & i' & -> & Hu & Hi). apply in_box_cons in Hj as (v & j' & -> & Hv & Hj).
    simpl in E. destruct (IHsh _ _ _ _ Hi Hj E) as [E' ->]. assert (x = y) by nia. subst. split; auto. f_equal. lia.
Qed.
Lemma unflat_rev_inj sh : sh <> [] -> forall x y, unflat_rev sh x = unflat_rev sh y -> x = y.
Proof.
  induction sh as [|e sh IH]; [congruence|]. intros _ x y E. destruct sh as [|e' sh].
  - simpl in E. congruence.
  - change ((x mod e)%Z :: unflat_rev (e' :: sh) (x / e) = (y mod e)%Z :: unflat_rev (e' :: sh) (y / e)) in E.
    inversion E as [[E1 E2]]. apply IH in E2; [|discriminate].
    destruct (Z.eq_dec e 0) as [->|].
    + rewrite !Zmod_0_r in E1. auto.
    + rewrite (Z.div_mod x e), (Z.div_mod y e) by auto. congruence.
Qed.
Lemma unflat_length sh x : length (unflat sh x) = length sh.
Proof.
  unfold unflat. rewrite rev_length, <- (rev_length sh). generalize (rev sh) as l. clear sh. intro l. revert x.
  induction l as [|e l IH]; intro x; auto. destruct l as [|e' l]; auto.
  change (S (length (unflat_rev (e' :: l) (x / e))) = S (length (e' :: l))). f_equal. apply IH.
Qed.
Lemma unflat_inj sh x y : sh <> [] -> unflat sh x = unflat sh y -> x = y.
Proof.
  unfold unflat. intros H E. apply (f_equal (@rev Z)) in E. rewrite !rev_involutive in E.
  apply unflat_rev_inj in E; auto. intro D. apply H. rewrite <- (rev_involutive sh), D. auto.
Qed.
Lemma box_split n sh i : In i (box sh) -> In (firstn n i) (box (firstn n sh)) /\ In (skipn n i) (box (skipn n sh)).
Proof.
  revert n i; induction sh; intros n i H.
  - destruct H as [<-|[]]. rewrite !firstn_nil, !skipn_nil. simpl; auto.
  - apply in_box_cons in H as (x & j & -> & Hx & H). destruct n; simpl firstn; simpl skipn.
    + split; [simpl; auto | apply in_box_cons; eauto 6].
    + destruct (IHsh n j H). split; auto. apply in_box_cons; eauto 6.
Qed.
Lemma app_inj_len {A} (a b c d : list A) : length a = length c -> a ++ b = c ++ d -> a = c /\ b = d.
Proof. revert c; induction a; destruct c; simpl; intros; try discriminate; auto.
  match goal with E : _ :: _ = _ :: _ |- _ => inversion E; subst end. injection H as H. edestruct IHa; eauto. subst; auto. Qed.
Lemma reshaped_inj gs : forall from to la lb i j,
  groups_fit (length from) (length to) gs la lb = true -> In i (box to) -> In j (box to) ->
  reshaped from to gs la lb i = reshaped from to gs la lb j -> i = j.
Proof.
  induction gs as [|[p q] gs IH]; intros from to la lb i j H Hi Hj E.
  - simpl in H. apply Nat.eqb_eq in H. destruct to; [|discriminate]. destruct Hi as [<-|[]], Hj as [<-|[]]; auto.
  - simpl in H. repeat (apply andb_true_iff in H as [H ?]).
    apply Nat.leb_le in H, H2. simpl in E.
    set (na := N.to_nat (p - la)) in *. set (nb := N.to_nat (q - lb)) in *.
    apply app_inj_len in E as [E1 E2]; [|rewrite !unflat_length; auto].
    destruct (box_split nb _ _ Hi) as [Hi1 Hi2], (box_split nb _ _ Hj) as [Hj1 Hj2].
    apply IH in E2; auto; [|rewrite !skipn_length; auto].
    assert (firstn nb i = firstn nb j).
    { apply orb_true_iff in H1 as [H1|H1].
      - apply Nat.ltb_lt in H1. apply unflat_inj in E1.
        + eapply flat_inj in E1; eauto. tauto.
        + intro D. apply (f_equal (@length Z)) in D. rewrite firstn_length in D. simpl in D. lia.
      - apply Nat.eqb_eq in H1. rewrite H1. auto. }
    rewrite <- (firstn_skipn nb i), <- (firstn_skipn nb j). congruence.
Qed.
Lemma map_injective m i j : inj_map cval m = true -> inbox (to_of m) i -> inbox (to_of m) j ->
  mapfun nv m i = mapfun nv m j -> i = j.
Proof.
  destruct m; intros H Hi Hj E.
  - eapply aff_injective; eauto.
  - simpl in *. eapply reshaped_inj; eauto. rewrite !map_length. auto.
Qed.
Lemma chain_injective ms : forall sp i j, forallb (inj_map cval) ms = true -> lands sp ms i -> lands sp ms j ->
  root ms i = root ms j -> i = j.
Proof.
  induction ms as [|m ms IH]; simpl; intros sp i j H Hi Hj E; auto.
  apply andb_true_iff in H as [H1 H2]. destruct Hi as [_ Hi], Hj as [_ Hj].
  apply (IH _ _ _ H2 Hi Hj). apply (map_injective m); auto; eapply lands_root; eauto.
Qed.

(* --- views that are apart --- *)
Lemma sum_bounds_ok fs to d lo hi s i :
  sum_bounds cval fs to d = Some (lo, hi) -> inbox to i ->
  (nv s + lo <= affine_at nv fs i d s <= nv s + hi)%Z.
Proof.
  revert lo hi; induction fs as [|[[t fr] b] fs IH]; intros lo hi H Hi.
  - simpl in *. inversion H; lia.
  - change (affine_at nv ((t, fr, b) :: fs) i d s)
      with ((if N.eqb fr d then nv b * nth (N.to_nat t) i 0 else 0) + affine_at nv fs i d s)%Z.
    simpl in H. destruct (sum_bounds cval fs to d) as [[l h]|]; [|discriminate]. specialize (IH _ _ eq_refl Hi).
    destruct (N.eqb_spec fr d) as [Ef|Ef].
    + destruct (cval b) as [x|] eqn:Eb; [|discriminate]. destruct (nth_error to (N.to_nat t)) as [e|] eqn:Et; [|discriminate].
      destruct (cval e) as [n|] eqn:Ee; [|discriminate]. inversion H; subst; clear H.
      apply cval_ok in Eb, Ee. subst.
      assert (Hl : (N.to_nat t < length (map nv to))%nat) by (rewrite map_length; apply nth_error_Some; congruence).
      pose proof (box_nth _ _ _ Hi Hl) as B. apply (map_nth_error nv) in Et. apply (nth_error_nth _ _ 0%Z) in Et. rewrite Et in B.
      set (z := nth (N.to_nat t) i 0%Z) in *.
      clearbody z. set (q := nv b) in *. set (n := nv e) in *. clearbody q n.
      assert (Z.min 0 (q * (n - 1)) <= q * z <= Z.max 0 (q * (n - 1)))%Z; [|lia].
      destruct (Z.le_ge_cases 0 q).
      { assert (0 <= q * z)%Z by nia. assert (q * z <= q * (n - 1))%Z by (apply Z.mul_le_mono_nonneg_l; lia). lia. }
      { assert (q * z <= 0)%Z by nia. assert (q * (n - 1) <= q * z)%Z by (apply Z.mul_le_mono_nonpos_l; lia). lia. }
    + inversion H; subst. lia.
Qed.
Lemma bounds_ok ms d lo hi sp i :
  bounds cval ms d = Some (lo, hi) -> lands sp ms i -> (lo <= nth (N.to_nat d) (root ms i) 0 <= hi)%Z.
Proof.
  unfold bounds. destruct ms as [|[from to start fs|] ms]; try discriminate. simpl. intros H [_ Hl].
  destruct (nth_error start (N.to_nat d)) as [s|] eqn:Es; [|discriminate].
  destruct (sum_bounds cval fs to d) as [[l h]|] eqn:Eb; [|discriminate].
  destruct (cval s) as [x|] eqn:Ex; [|discriminate]. inversion H; subst; clear H.
  rewrite (affine_nth _ _ _ _ _ _ Es). replace (0 + N.of_nat (N.to_nat d))%N with d by lia.
  pose proof (sum_bounds_ok _ _ _ _ _ s _ Eb (lands_root _ _ _ Hl)). apply cval_ok in Ex. subst. lia.
Qed.
Lemma sum_span_ok fs to d lo hi s i : sum_span cval fs to d = Some (lo, hi) -> inbox to i ->
  (nv s + sum_value nv lo <= affine_at nv fs i d s <= nv s + sum_value nv hi)%Z.
Proof.
  revert lo hi; induction fs as [|[[t fr] b] fs IH]; intros lo hi H Hi.
  - simpl in *. inversion H; subst. rewrite value_nil. lia.
  - change (affine_at nv ((t, fr, b) :: fs) i d s)
      with ((if N.eqb fr d then nv b * nth (N.to_nat t) i 0 else 0) + affine_at nv fs i d s)%Z.
    cbn [sum_span] in H. destruct (sum_span cval fs to d) as [[l h]|]; [|discriminate]. specialize (IH _ _ eq_refl Hi).
    destruct (N.eqb_spec fr d) as [Ef|Ef]; [|inversion H; subst; lia].
    destruct (nth_error to (N.to_nat t)) as [e|] eqn:Et; [|discriminate].
    assert (Hl : (N.to_nat t < length (map nv to))%nat) by (rewrite map_length; apply nth_error_Some; congruence).
    pose proof (box_nth _ _ _ Hi Hl) as B. apply (map_nth_error nv) in Et. apply (nth_error_nth _ _ 0%Z) in Et. rewrite Et in B.
    set (z := nth (N.to_nat t) i 0%Z) in *. clearbody z.
    pose proof (times_ok_ (nv := nv) (k_sum cval b) (minus_ (k_sum cval e) (constant 1))) as P.
    rewrite minus_ok_, constant_ok, <- !sum_ok in P. set (part := times_ _ _) in *.
    destruct (at_most cval [] (k_sum cval b)) eqn:A.
    + apply at_most_ok in A. rewrite value_nil, <- sum_ok in A. inversion H; subst. rewrite plus_ok_. nia.
    + destruct (at_most cval (k_sum cval b) []) eqn:A'; [|discriminate].
      apply at_most_ok in A'. rewrite value_nil, <- sum_ok in A'. inversion H; subst. rewrite plus_ok_. nia.
Qed.
Lemma span_ok ms d lo hi sp i : span cval ms d = Some (lo, hi) -> lands sp ms i ->
  (sum_value nv lo <= nth (N.to_nat d) (root ms i) 0 <= sum_value nv hi)%Z.
Proof.
  unfold span. destruct ms as [|[from to start fs|] ms]; try discriminate. simpl. intros H [_ Hl].
  destruct (nth_error start (N.to_nat d)) as [s|] eqn:Es; [|discriminate].
  destruct (sum_span cval fs to d) as [[l h]|] eqn:Eb; [|discriminate]. inversion H; subst; clear H.
  rewrite (affine_nth _ _ _ _ _ _ Es), !plus_ok_, <- !sum_ok. replace (0 + N.of_nat (N.to_nat d))%N with d by lia.
  exact (sum_span_ok _ _ _ _ _ s _ Eb (lands_root _ _ _ Hl)).
Qed.
Lemma less_ok p q : less cval p q = true -> (sum_value nv p < sum_value nv q)%Z.
Proof. intros H. apply at_most_ok in H. rewrite plus_ok_, constant_ok in H. lia. Qed.
Lemma span_apart x y d sp sp' i j : match span cval x d, span cval y d with
    Some (l, h), Some (l', h') => less cval h l' || less cval h' l | _, _ => false end = true ->
  lands sp x i -> lands sp' y j -> root x i <> root y j.
Proof.
  intros H Hi Hj E. destruct (span cval x d) as [[l h]|] eqn:Sx; [|discriminate]. destruct (span cval y d) as [[l' h']|] eqn:Sy; [|discriminate].
  pose proof (span_ok _ _ _ _ _ _ Sx Hi). pose proof (span_ok _ _ _ _ _ _ Sy Hj). rewrite E in *.
  apply orb_true_iff in H as [H|H]; apply less_ok in H; lia.
Qed.
Lemma maps_apart_ok space x y sp sp' i j :
  maps_apart cval space x y = true -> lands sp x i -> lands sp' y j -> root x i <> root y j.
Proof.
  unfold maps_apart. intros H Hi Hj E. apply existsb_exists in H as (d & _ & H). unfold dim_apart in H.
  destruct (bounds cval x d) as [[l h]|] eqn:Bx; [|exact (span_apart _ _ _ _ _ _ _ H Hi Hj E)].
  destruct (bounds cval y d) as [[l' h']|] eqn:By; [|exact (span_apart _ _ _ _ _ _ _ H Hi Hj E)].
  pose proof (bounds_ok _ _ _ _ _ _ Bx Hi). pose proof (bounds_ok _ _ _ _ _ _ By Hj). rewrite E in *.
  apply orb_true_iff in H as [H|H]; apply Z.ltb_lt in H; lia.
Qed.
Lemma apart_ok t v w : apart_chk cval t v w = true -> in_bounds nv t v -> in_bounds nv t w -> apart nv v w.
Proof.
  intros H Hv Hw s c [[<- (i & Hi & <-)] [Es (j & Hj & E)]]. unfold apart_chk in H.
  repeat (apply orb_true_iff in H as [H|H]).
  - apply negb_true_iff, N.eqb_neq in H. congruence.
  - eapply empty_box; eauto.
  - eapply empty_box; eauto.
  - eapply maps_apart_ok; eauto.
Qed.
Lemma clean_ok t s : clean_chk cval t s = true ->
  (forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) -> clean nv s.
Proof.
  unfold clean_chk. intros H Hb. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
  rewrite forallb_forall in H1, H2, H3. split; [|split].
  - intros w Hw i j Hi Hj E. specialize (H1 _ Hw). apply andb_true_iff in H1 as [H1 _].
    assert (B : in_bounds nv t w) by (apply Hb, in_or_app; auto).
    apply (chain_injective (v_maps w) (shape_of t (v_st w))); auto.
  - intros p q w x Hp Hq Hne. pose proof (H2 _ (in_numbered _ _ _ Hp)) as H. rewrite forallb_forall in H.
    specialize (H _ (in_numbered _ _ _ Hq)). simpl in H. apply orb_true_iff in H as [H|H].
    + apply Nat.eqb_eq in H. congruence.
    + eapply apart_ok; eauto; apply Hb, in_or_app; right; eapply nth_error_In; eauto.
  - intros p q r w Hp Hq. pose proof (H3 _ (in_numbered _ _ _ Hp)) as H. rewrite forallb_forall in H.
    specialize (H _ (in_numbered _ _ _ Hq)). simpl in H.
    assert (Br : in_bounds nv t r) by (apply Hb, in_or_app; left; eapply nth_error_In; eauto).
    assert (Bw : in_bounds nv t w) by (apply Hb, in_or_app; right; eapply nth_error_In; eauto).
    destruct (accessed s p q); auto.
    + right; right. eapply apart_ok; eauto.
    + apply orb_true_iff in H as [H|H]; [|right; right; eapply apart_ok; eauto].
      apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H5].
      apply N.eqb_eq in H. apply is_true in H4, H5. right; left; auto.
Qed.
End Maps.
