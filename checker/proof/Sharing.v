(* Sharing that has not grown: what the checker asks of outputs and inputs, and why that is enough. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Latest Maps Follow Points PointsRight.
Import ListNotations.

(* --- storages by what they are called --- *)
(* those that both graphs may know, or that are compared *)
Definition all_storages (t : trace) : list (N * storage) :=
  PM.pick (fun x => negb (N.eqb (st_start x) undefined) || st_cmp x) (t_st t).
Definition key_map (l : list (N * storage)) : PM.t (PM.t N) :=
  fold_left (fun m p => add2 m (st_start (snd p)) (st_key (snd p)) (fst p)) l (PM.empty _).
Definition unique_keys (l : list (N * storage)) : bool :=
  let keys := key_map l in
  forallb (fun p => N.eqb (st_start (snd p)) undefined ||
    match at2 keys (st_start (snd p)) (st_key (snd p)) with Some s => N.eqb s (fst p) | None => false end) l.
Definition known_key (t : trace) (s : N) : option (N * N) :=
  match get s (t_st t) with
  | Some x => if N.eqb (st_start x) undefined then None else Some (st_start x, st_key x)
  | None => None
  end.

Section Ask.
Variable cval : knows.
Variables (may : list (N * N)) (b a : trace).
(* the same elements of what the caller gave *)
Definition same_given (v w : view) : bool :=
  match known_key b (v_st v), known_key a (v_st w) with
  | Some p, Some q => is (pair_dec p q) && is (nums_dec (v_sh v) (v_sh w)) && is (maps_dec (v_maps v) (v_maps w))
  | _, _ => false
  end.
(* element by element: places that are one were one *)
Definition meet_before (v w v' w' : view) : bool :=
  forallb (told_view cval) [v; w; v'; w'] && N.eqb (v_st v) (v_st v')
  && (let m := places_in cval w' in
      forallb (fun i => let c := at_root cval (v_maps w) i in
        forallb (fun j => negb (is (cells_dec (at_root cval (v_maps w') j) c))
                          || is (cells_dec (at_root cval (v_maps v) i) (at_root cval (v_maps v') j)))
                (bucket m (place_key c))) (elements_of cval (v_sh w))).
Definition apart_both (w u : view) : bool := told_view cval w && told_view cval u && apart_each cval w u.
(* v, v' of [b] and w, w' of [a], in pairs of one shape *)
Definition pair_ok (v w v' w' : view) : bool :=
  is (nums_dec (v_sh v) (v_sh w)) && is (nums_dec (v_sh v') (v_sh w'))
  && ((same_given v w && same_given v' w')
      || (N.eqb (v_st v) (v_st v') && is (maps_dec (v_maps v) (v_maps w)) && is (maps_dec (v_maps v') (v_maps w')))
      || meet_before v w v' w').
Definition allowed (k x : N) : bool := existsb (fun p => N.eqb (fst p) k && N.eqb (snd p) x) may.
Definition anew (k : N) : bool := existsb (fun p => N.eqb (fst p) k) may.
(* An output that is a view: which, as it is in [b], and in [a]. *)
Record shown := Shown { h_out : N; h_before : option view; h_after : view }.
Fixpoint shown_from (k : N) (l m : list output) (hs : list shown) : list shown :=
  match m with
  | [] => hs
  | o :: r =>
    shown_from (N.succ k) (tl l) r
      (match o_view o with Some w => Shown k (match l with o' :: _ => o_view o' | [] => None end) w :: hs | None => hs end)
  end.
Fixpoint told_from {A} (k : N) (l : list A) (ps : list (N * A)) : list (N * A) :=
  match l with [] => ps | x :: r => told_from (N.succ k) r ((k, x) :: ps) end.
Definition grouped {A} (f : A -> N) (l : list A) : PM.t (list A) := fold_left (fun m x => put m (f x) x) l (PM.empty _).
Definition with_input (h : shown) (p : N * (N * view)) : bool :=
  let w := h_after h in let u := snd (snd p) in
  allowed (h_out h) (fst p) || negb (N.eqb (v_st u) (v_st w)) || apart_both w u ||
  match h_before h with
  | Some v => existsb (fun q => N.eqb (fst q) (fst (snd p)) && pair_ok v w (snd q) u) (t_in b)
  | None => false
  end.
Definition whole_inj (w : view) : bool := forallb (inj_map cval) (v_maps w) && fits_chk a w.
Definition with_output (h g : shown) : bool :=
  let w := h_after h in let w' := h_after g in let one := N.eqb (h_out h) (h_out g) in
  anew (h_out g) || negb (N.eqb (v_st w) (v_st w')) || (negb one && (apart_chk cval a w w' || apart_both w w')) ||
  match h_before h, h_before g with
  | Some v, Some v' => (one && is (nums_dec (v_sh v) (v_sh w)) && whole_inj w) || pair_ok v w v' w'
  | _, _ => false
  end.
(* only what lies in one storage can share *)
Definition sharing_of (ins : PM.t (list (N * (N * view)))) (outs : PM.t (list shown)) (h : shown) : bool :=
  let s := v_st (h_after h) in
  forallb (with_input h) (entries ins s) && (anew (h_out h) || forallb (with_output h) (entries outs s)).
Definition sharing_ok : bool :=
  unique_keys (all_storages b)
  && (let hs := shown_from 0 (t_out b) (t_out a) [] in
      let ins := grouped (fun p : N * (N * view) => v_st (snd (snd p))) (told_from 0 (t_in a) []) in
      let outs := grouped (fun h => v_st (h_after h)) hs in
      forallb (sharing_of ins outs) hs).
End Ask.

Section Right.
Context {nv : num -> Z} {cval : knows} {Consts : consts_hold nv cval}.
Variables (may : list (N * N)) (b a : trace).
Notation inbox := (inbox nv).

Lemma in_storages t s x : get s (t_st t) = Some x -> st_start x <> undefined \/ st_cmp x = true -> In (s, x) (all_storages t).
Proof.
  intros H C. unfold all_storages. replace s with (Pos.pred_N (N.succ_pos s)) by (apply N.pos_pred_succ).
  apply PM.pick_in; auto. destruct C as [C| ->]; [|apply orb_true_r]. apply N.eqb_neq in C. rewrite C. auto.
Qed.
Lemma unique_ok t s s' x y : unique_keys (all_storages t) = true -> get s (t_st t) = Some x -> get s' (t_st t) = Some y ->
  st_start x <> undefined -> st_start x = st_start y -> st_key x = st_key y -> s = s'.
Proof.
  intros H Hx Hy Hu Es Ek. unfold unique_keys in H. rewrite forallb_forall in H.
  pose proof (H _ (in_storages _ _ _ Hx (or_introl Hu))) as H1.
  assert (Hv : st_start y <> undefined) by congruence. pose proof (H _ (in_storages _ _ _ Hy (or_introl Hv))) as H2. simpl in H1, H2.
  rewrite <- Es, <- Ek in H2. apply orb_true_iff in H1 as [H1|H1]; [apply N.eqb_eq in H1; congruence|].
  apply orb_true_iff in H2 as [H2|H2]; [apply N.eqb_eq in H2; congruence|].
  destruct (at2 (key_map (all_storages t)) (st_start x) (st_key x)); [|discriminate]. apply N.eqb_eq in H1, H2. congruence.
Qed.
Lemma known_key_some t s p : known_key t s = Some p -> exists x, get s (t_st t) = Some x /\ st_start x <> undefined /\ p = (st_start x, st_key x).
Proof.
  unfold known_key. destruct (get s (t_st t)) as [x|]; [|discriminate]. destruct (N.eqb_spec (st_start x) undefined); [discriminate|].
  intros H; inversion H. eauto.
Qed.
Lemma same_given_ok v w : same_given b a v w = true -> exists p, known_key b (v_st v) = Some p /\
  known_key a (v_st w) = Some p /\ v_maps v = v_maps w.
Proof.
  unfold same_given. destruct (known_key b (v_st v)) as [p|]; [|discriminate]. destruct (known_key a (v_st w)) as [q|]; [|discriminate].
  intros H. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
  apply is_true in H1, H2, H3. subst. eauto.
Qed.
Lemma same_cell v w v' w' i j : unique_keys (all_storages b) = true -> same_given b a v w = true -> same_given b a v' w' = true ->
  cell nv w i = cell nv w' j -> cell nv v i = cell nv v' j.
Proof.
  intros U H H' E. destruct (same_given_ok _ _ H) as (p & Kv & Kw & Em).
  destruct (same_given_ok _ _ H') as (p' & Kv' & Kw' & Em'). unfold cell in *. inversion E as [[E1 E2]].
  rewrite E1 in Kw. rewrite Kw in Kw'. inversion Kw'; subst p'. rewrite Em, Em', E2. f_equal.
  destruct (known_key_some _ _ _ Kv) as (x & G & Nx & Ex). destruct (known_key_some _ _ _ Kv') as (y & G' & Ny & Ey).
  rewrite Ex in Ey. inversion Ey. apply (unique_ok b _ _ x y); auto.
Qed.
Lemma meet_before_ok v w v' w' i j : meet_before cval v w v' w' = true -> inbox (v_sh w) i -> inbox (v_sh w') j ->
  cell nv w i = cell nv w' j -> cell nv v i = cell nv v' j.
Proof.
  unfold meet_before. intros H Hi Hj E. apply andb_true_iff in H as [H H2]. apply andb_true_iff in H as [T Es]. apply N.eqb_eq in Es.
  rewrite forallb_forall in T. unfold cell in *. inversion E as [[E1 E2]].
  destruct (told_ok (nv := nv) v (T v ltac:(simpl; auto))) as [Kv _]. destruct (told_ok (nv := nv) w (T w ltac:(simpl; auto))) as [Kw Bw].
  destruct (told_ok (nv := nv) v' (T v' ltac:(simpl; auto))) as [Kv' _]. destruct (told_ok (nv := nv) w' (T w' ltac:(simpl; auto))) as [Kw' Bw'].
  rewrite forallb_forall in H2. apply Bw in Hi. apply Bw' in Hj. specialize (H2 i Hi). rewrite forallb_forall in H2.
  assert (Er : at_root cval (v_maps w') j = at_root cval (v_maps w) i) by (rewrite !at_root_ok by auto; auto).
  assert (I : In j (bucket (places_in cval w') (place_key (at_root cval (v_maps w) i)))) by (apply places_in_ok; rewrite Er; auto).
  specialize (H2 j I). apply orb_true_iff in H2 as [H2|H2].
  - exfalso. rewrite Er in H2. unfold is in H2. destruct (cells_dec _ _); [discriminate | auto].
  - apply is_true in H2. rewrite !at_root_ok in H2 by auto. rewrite Es, H2. auto.
Qed.
Lemma pair_ok_ok v w v' w' i j : unique_keys (all_storages b) = true -> pair_ok cval b a v w v' w' = true -> inbox (v_sh w) i -> inbox (v_sh w') j ->
  cell nv w i = cell nv w' j -> v_sh v = v_sh w /\ v_sh v' = v_sh w' /\ cell nv v i = cell nv v' j.
Proof.
  unfold pair_ok. intros U H Hi Hj E. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2]. apply is_true in H1, H2.
  split; auto. split; auto. repeat (apply orb_true_iff in H3 as [H3|H3]).
  - apply andb_true_iff in H3 as [A B]. eapply same_cell; eauto.
  - apply andb_true_iff in H3 as [H3 C]. apply andb_true_iff in H3 as [A B]. apply N.eqb_eq in A. apply is_true in B, C.
    unfold cell in *. inversion E as [[E1 E2]]. rewrite A, B, C, E2. auto.
  - eapply meet_before_ok; eauto.
Qed.
Lemma apart_both_ok w u i j : apart_both cval w u = true -> inbox (v_sh w) i -> inbox (v_sh u) j -> cell nv w i <> cell nv u j.
Proof.
  unfold apart_both. intros H Hi Hj E. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
  unfold cell in E. inversion E as [[E1 E2]]. apply (apart_each_ok w u H1 H2 H3 (v_st w) (root nv (v_maps w) i)). split; split; eauto.
Qed.
Lemma told_rest {A} (l : list A) : forall n ps p, In p ps -> In p (told_from n l ps).
Proof. induction l; simpl; intros; auto. apply IHl. right. auto. Qed.
Lemma told_in {A} (l : list A) : forall n ps k x, nth_error l k = Some x -> In ((n + N.of_nat k)%N, x) (told_from n l ps).
Proof.
  induction l as [|y l IH]; intros n ps [|k] x H; try discriminate; simpl in *.
  - inversion H. apply told_rest. left. rewrite N.add_0_r. auto.
  - replace (n + N.pos (Pos.of_succ_nat k))%N with (N.succ n + N.of_nat k)%N by lia. auto.
Qed.
Lemma grouped_in {A} (f : A -> N) x l : In x l -> In x (entries (grouped f l) (f x)).
Proof.
  unfold grouped. intros H. assert (G : forall l m, In x l \/ In x (entries m (f x)) -> In x (entries (fold_left (fun m y => put m (f y) y) l m) (f x))).
  { clear. induction l as [|y l IH]; simpl; intros m [H|H]; auto; try contradiction.
    - apply IH. destruct H as [->|H]; auto. right. apply in_put. auto.
    - apply IH. right. apply in_put. auto. }
  auto.
Qed.
Lemma shown_rest m : forall n l hs h, In h hs -> In h (shown_from n l m hs).
Proof. induction m as [|o m IH]; simpl; intros; auto. apply IH. destruct (o_view o); [right|]; auto. Qed.
Lemma shown_in m : forall n l hs k o w, nth_error m k = Some o -> o_view o = Some w -> exists h, In h (shown_from n l m hs) /\
  h_out h = (n + N.of_nat k)%N /\ h_after h = w /\ forall v, h_before h = Some v -> exists o', nth_error l k = Some o' /\ o_view o' = Some v.
Proof.
  induction m as [|y m IH]; intros n l hs [|k] o w H Hw; try discriminate; simpl in H.
  - inversion H; subst y. simpl. rewrite Hw. eexists. split; [apply shown_rest; left; reflexivity|]. simpl. rewrite N.add_0_r. repeat split; auto.
    destruct l as [|o' l]; intros v Hv; [discriminate|]. exists o'. auto.
  - simpl. destruct (IH (N.succ n) (tl l) (match o_view y with
      Some w => Shown n (match l with o' :: _ => o_view o' | [] => None end) w :: hs | None => hs end) k o w H Hw) as (h & Hi & Hk & Ha & Hb).
    exists h. split; auto. rewrite Hk. split; [lia|]. split; auto. intros v Hv. destruct (Hb v Hv) as (o' & Ho & Hv'). exists o'. split; auto.
    destruct l; auto. destruct k; discriminate.
Qed.
Lemma allowed_not k x : ~ In (k, x) may -> allowed may k x = false.
Proof.
  intros H. destruct (allowed may k x) eqn:E; auto. exfalso. apply H. unfold allowed in E. apply existsb_exists in E as ([p q] & I & E).
  apply andb_true_iff in E as [E1 E2]. apply N.eqb_eq in E1, E2. simpl in *. subst. auto.
Qed.
Lemma anew_not k : (forall x, ~ In (k, x) may) -> anew may k = false.
Proof.
  intros H. destruct (anew may k) eqn:E; auto. exfalso. unfold anew in E. apply existsb_exists in E as ([p q] & I & E).
  apply N.eqb_eq in E. simpl in *. subst. apply (H q). auto.
Qed.
Theorem sharing_is_right : sharing_ok cval may b a = true ->
  (forall o v, In o (t_out a) -> o_view o = Some v -> in_bounds nv a v) -> no_new_sharing nv may b a.
Proof.
  intros H Bd. unfold sharing_ok in H. apply andb_true_iff in H as [U H]. rewrite forallb_forall in H. split.
  - intros k x o w name u Na Ho Hw Hx i j Hi Hj E. destruct (shown_in _ 0%N (t_out b) [] _ _ _ Ho Hw) as (h & Ih & Ek & Ea & Eb).
    simpl in Ek. specialize (H _ Ih). unfold sharing_of in H. rewrite Ea in H. apply andb_true_iff in H as [H _]. rewrite forallb_forall in H.
    unfold cell in E. inversion E as [[E1 E2]]. pose proof (told_in _ 0%N [] _ _ Hx) as Hp.
    apply (grouped_in (fun p : N * (N * view) => v_st (snd (snd p)))) in Hp. simpl in Hp. rewrite <- E1 in Hp. specialize (H _ Hp).
    unfold with_input in H. simpl in H. rewrite Ek, Ea, (allowed_not _ _ Na) in H. simpl in H. apply orb_true_iff in H as [H|H].
    { exfalso. apply orb_true_iff in H as [H|H]; [|exact (apart_both_ok _ _ _ _ H Hi Hj E)]. apply negb_true_iff, N.eqb_neq in H. congruence. }
    destruct (h_before h) as [v|] eqn:Ev; [|discriminate]. destruct (Eb v eq_refl) as (o' & Eo & Ev').
    apply existsb_exists in H as ([name' u'] & Hu & H). simpl in H. apply andb_true_iff in H as [H1 H2]. apply N.eqb_eq in H1. subst name'.
    destruct (pair_ok_ok _ _ _ _ i j U H2 Hi Hj E) as (S1 & S2 & S3). exists o', v, u'. auto 10.
  - intros k l o p w x Nk Nl Ho Hw Hp Hx i j Hi Hj E. destruct (shown_in _ 0%N (t_out b) [] _ _ _ Ho Hw) as (h & Ih & Ek & Ea & Eb).
    destruct (shown_in _ 0%N (t_out b) [] _ _ _ Hp Hx) as (g & Ig & Fk & Fa & Fb). simpl in Ek, Fk.
    specialize (H _ Ih). unfold sharing_of in H. rewrite Ek, Ea in H. apply andb_true_iff in H as [_ H]. rewrite (anew_not _ Nk) in H. simpl in H.
    rewrite forallb_forall in H. unfold cell in E. inversion E as [[E1 E2]].
    apply (grouped_in (fun h => v_st (h_after h))) in Ig. rewrite Fa, <- E1 in Ig. specialize (H _ Ig).
    unfold with_output in H. rewrite Ek, Fk, Ea, Fa, (anew_not _ Nl) in H. simpl in H.
    assert (Bw : in_bounds nv a w) by (apply (Bd o w); auto; eapply nth_error_In; eauto).
    assert (Bx : in_bounds nv a x) by (apply (Bd p x); auto; eapply nth_error_In; eauto).
    apply orb_true_iff in H as [H|H].
    { exfalso. repeat (apply orb_true_iff in H as [H|H]).
      - apply negb_true_iff, N.eqb_neq in H. congruence.
      - apply andb_true_iff in H as [_ H]. apply orb_true_iff in H as [H|H]; [|exact (apart_both_ok _ _ _ _ H Hi Hj E)].
        apply (apart_ok a w x H Bw Bx (v_st w) (root nv (v_maps w) i)). split; split; eauto. }
    destruct (h_before h) as [v|] eqn:Ev; [|discriminate]. destruct (h_before g) as [y|] eqn:Ey; [|discriminate].
    destruct (Eb v eq_refl) as (o' & Eo & Ev'). destruct (Fb y eq_refl) as (p' & Ep & Ey'). exists o', p', v, y. apply orb_true_iff in H as [H|H].
    + apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2]. apply N.eqb_eq, Nat2N.inj in H1. subst l. apply is_true in H2.
      rewrite Ho in Hp. inversion Hp; subst p. rewrite Hw in Hx. assert (Ex : x = w) by congruence. clear Fa. subst x. rewrite Eo in Ep. inversion Ep; subst p'.
      rewrite Ev' in Ey'. inversion Ey'; subst y. unfold whole_inj in H3. apply andb_true_iff in H3 as [H3 _].
      assert (i = j) by (apply (chain_injective (v_maps w) (shape_of a (v_st w))); auto). subst j. auto 10.
    + destruct (pair_ok_ok _ _ _ _ i j U H Hi Hj E) as (S1 & S2 & S3). auto 10.
Qed.
End Right.
