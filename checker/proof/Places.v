(* Places in arenas, and orders that edges allow: what the checker asks, and why that is enough. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Latest Maps Follow Points PointsRight.
Import ListNotations.

(* --- what is asked --- *)
Section Ask.
Variable cval : knows.
Variable t : trace.
Definition places_of : PM.t (list placement) :=
  fold_left (fun m p => match p_storage p with Some s => put m s p | None => m end) (t_places t) (PM.empty _).
Definition by_origin : PM.t (list (N * step)) :=
  fold_left (fun m p => put m (s_origin (snd p)) p) (all_steps t) (PM.empty _).

Definition count (sh : list num) : sums := fold_right (fun e n => times_ (k_sum cval e) n) (constant 1) sh.
Definition bounds_chk (p : placement) : bool :=
  match nth_error (t_arenas t) (N.to_nat (p_arena p)) with
  | None => false
  | Some e =>
    let off := k_sum cval (p_offset p) in let size := k_sum cval (p_size p) in
    at_most cval [] off && at_most cval [] size && at_most cval (plus_ off size) (k_sum cval e)
  end.
Definition room_chk (p : placement) (x : storage) : bool :=
  Z.ltb 0 (st_bits x) && at_most cval (scaled (st_bits x) [] (count (st_sh x))) (scaled 8 [] (k_sum cval (p_size p))).
Definition leaves (s : N) (x : storage) : bool :=
  (N.eqb (st_start x) given && st_cmp x)
  || existsb (fun o => match o_view o with Some v => N.eqb (v_st v) s | None => false end) (t_out t).
Definition storage_chk (p : placement) : bool :=
  match p_storage p with
  | None => true
  | Some s =>
    match get s (t_st t) with
    | None => true
    | Some x =>
      room_chk p x && (negb (N.eqb (st_start x) given) || N.eqb (p_first p) 0)
      && (negb (leaves s x) || forallb (fun q => N.ltb (N.succ (s_origin (snd q))) (p_last p)) (all_steps t))
    end
  end.
Definition lives_chk (places : PM.t (list placement)) (s : step) : bool :=
  forallb (fun v => forallb (fun p => N.leb (p_first p) (s_origin s) && N.ltb (s_origin s) (p_last p))
                            (entries places (v_st v))) (s_reads s ++ s_writes s).
Definition bytes_chk (p q : placement) : bool :=
  match cval (p_offset p), cval (p_size p), cval (p_offset q), cval (p_size q) with
  | Some a, Some n, Some b, Some m => Z.eqb n 0 || Z.eqb m 0 || Z.leb (a + n) b || Z.leb (b + m) a
  | _, _, _, _ =>
    let ends x y := at_most cval (plus_ (k_sum cval (p_offset x)) (k_sum cval (p_size x))) (k_sum cval (p_offset y)) in ends p q || ends q p
  end.
Definition touch (s : step) (st : N) : bool := existsb (fun v => N.eqb (v_st v) st) (s_reads s ++ s_writes s).
Definition numbered {A} (l : list A) : list (nat * A) := combine (seq 0 (length l)) l.
Definition address_chk (p : placement) (st : N) (c : list Z) : Z :=
  let sh := map (nvc cval) (shape_of t st) in
  (8 * nvc cval (p_offset p)
   + match get st (t_st t) with Some x => st_bits x | None => 0 end
     * fold_left (fun at_ d => at_ * nth (N.to_nat d) sh 0 + nth (N.to_nat d) c 0) (p_order p) 0)%Z.
Definition order_chk (p : placement) (st : N) : bool :=
  let n := length (shape_of t st) in
  nodup (p_order p) && Nat.eqb (length (p_order p)) n && forallb (fun d => Nat.ltb (N.to_nat d) n) (p_order p)
  && forallb (fun d => existsb (N.eqb (N.of_nat d)) (p_order p)) (seq 0 n).
Definition known_place (p : placement) (st : N) : bool := known cval (p_offset p) && forallb (known cval) (shape_of t st).
Definition in_place_chk (p q : placement) (s : step) (x y : nat) (r w : view) : bool :=
  match accessed s x y with
  | BeforeWrite => true
  | AnyTime => false
  | ElementWise =>
    told_view cval r && told_view cval w && is (nums_dec (v_sh r) (v_sh w)) && order_chk p (v_st r) && order_chk q (v_st w)
    && known_place p (v_st r) && known_place q (v_st w)
    && forallb (fun i => Z.eqb (address_chk p (v_st r) (at_root cval (v_maps r) i)) (address_chk q (v_st w) (at_root cval (v_maps w) i)))
               (elements_of cval (v_sh w))
  end.
Definition read_first (p q : placement) (s : step) (sp sq : N) : bool :=
  forallb (fun w => negb (N.eqb (v_st w) sp)) (s_writes s) && forallb (fun r => negb (N.eqb (v_st r) sq)) (s_reads s)
  && forallb (fun r => forallb (fun w =>
       negb (N.eqb (v_st (snd r)) sp) || negb (N.eqb (v_st (snd w)) sq)
       || in_place_chk p q s (fst r) (fst w) (snd r) (snd w))
     (numbered (s_writes s))) (numbered (s_reads s)).
Definition hands_chk (steps : PM.t (list (N * step))) (p q : placement) : bool :=
  match p_storage p, p_storage q with
  | Some sp, Some sq =>
    let here := entries steps (p_first q) in
    N.eqb (p_last p) (N.succ (p_first q)) && N.ltb (p_first p) (p_first q) && negb (N.eqb sp sq)
    && forallb (fun x => negb (touch (snd x) sp) || forallb (fun y =>
         negb (touch (snd y) sq) || N.ltb (fst x) (fst y) || (N.eqb (fst x) (fst y) && read_first p q (snd x) sp sq)) here) here
  | _, _ => false
  end.
Definition meet (p q : placement) : bool :=
  N.eqb (p_arena p) (p_arena q) && N.ltb (p_first p) (p_last q) && N.ltb (p_first q) (p_last p).
Definition pair_chk (steps : PM.t (list (N * step))) (p q : placement) : bool :=
  negb (meet p q) || bytes_chk p q || hands_chk steps p q || hands_chk steps q p.
Fixpoint pairs_chk (steps : PM.t (list (N * step))) (l : list placement) : bool :=
  match l with [] => true | p :: r => forallb (pair_chk steps p) r && pairs_chk steps r end.
Definition places_ok : bool :=
  match t_places t with
  | [] => true
  | _ =>
    let steps := by_origin in let places := places_of in
    forallb (fun p => bounds_chk p && storage_chk p) (t_places t)
    && forallb (fun q => lives_chk places (snd q)) (all_steps t) && pairs_chk steps (t_places t)
  end.

(* Which graph steps can be reached from which: edges from later steps are looked at first. *)
Definition reach := PM.t (P.t unit).
Definition reached (m : reach) (x : N) : P.t unit := match get x m with Some s => s | None => P.empty _ end.
Definition union (s r : P.t unit) : P.t unit := P.fold (fun k _ m => P.add k tt m) s r.
Definition add_edge (m : reach) (e : N * N) : reach :=
  PM.add (N.succ_pos (fst e)) (P.add (N.succ_pos (snd e)) tt (union (reached m (snd e)) (reached m (fst e)))) m.
Definition joined (m : reach) (x y : N) : bool := match P.find (N.succ_pos y) (reached m x) with Some _ => true | None => false end.
Definition disturb (s u : step) : bool :=
  let some l r := existsb (fun v => existsb (fun w => negb (apart_chk cval t v w)) r) l in
  some (s_writes s) (s_reads u ++ s_writes u) || some (s_reads s) (s_writes u).
Fixpoint orders_chk (m : reach) (l : list (N * step)) : bool :=
  match l with
  | [] => true
  | s :: r => forallb (fun u => N.eqb (s_origin (snd s)) (s_origin (snd u)) || negb (disturb (snd s) (snd u))
                                || joined m (s_origin (snd s)) (s_origin (snd u))) r && orders_chk m r
  end.
Definition orders_ok : bool :=
  negb (t_any t) ||
  (forallb (fun e => N.ltb (fst e) (snd e)) (t_edges t)
   && orders_chk (fold_left add_edge (rev_append (t_edges t) []) (PM.empty _)) (all_steps t)).
End Ask.

(* --- why it is enough --- *)
Section Right.
Context {nv : num -> Z} {cval : knows} {Consts : consts_hold nv cval}.
Variable t : trace.

Lemma count_ok sh : sum_value nv (count cval sh) = elements nv sh.
Proof.
  induction sh as [|e r IH]; [apply constant_ok|]. unfold count, elements in *. cbn [fold_right]. rewrite times_ok_, IH, <- sum_ok. auto.
Qed.
Lemma places_of_ok s p : In p (t_places t) -> p_storage p = Some s -> In p (entries (places_of t) s).
Proof.
  unfold places_of. intros Hp Hs.
  assert (G : forall l m, (In p l \/ In p (entries m s)) ->
    In p (entries (fold_left (fun m p => match p_storage p with Some s => put m s p | None => m end) l m) s)).
  { induction l as [|q l IH]; simpl; intros m H; [tauto|]. apply IH. destruct H as [[->|H]|H]; auto; right.
    - rewrite Hs. apply in_put. auto.
    - destruct (p_storage q); auto. apply in_put. auto. }
  apply G. auto.
Qed.
Lemma by_origin_ok k s : (k < t_n t)%N -> get k (t_steps t) = Some s -> In (k, s) (entries (by_origin t) (s_origin s)).
Proof.
  intros Hk Hg. unfold by_origin.
  assert (G : forall l m, (In (k, s) l \/ In (k, s) (entries m (s_origin s))) ->
    In (k, s) (entries (fold_left (fun m p => put m (s_origin (snd p)) p) l m) (s_origin s))).
  { induction l as [|q l IH]; simpl; intros m H; [tauto|]. apply IH. destruct H as [[->|H]|H]; auto; right; apply in_put; auto. }
  apply G. left. apply in_all_steps; auto.
Qed.
Lemma touch_ok s st : touches s st <-> touch s st = true.
Proof.
  unfold touch. rewrite existsb_exists. split; intros (v & Hv & E); exists v; split; auto; apply N.eqb_eq; auto.
Qed.
Lemma lives_ok s p st : lives_chk (places_of t) s = true -> In p (t_places t) -> p_storage p = Some st -> touches s st ->
  (p_first p <= s_origin s < p_last p)%N.
Proof.
  unfold lives_chk. intros H Hp Hs (v & Hv & <-). rewrite forallb_forall in H. specialize (H _ Hv). rewrite forallb_forall in H.
  specialize (H _ (places_of_ok _ _ Hp Hs)). apply andb_true_iff in H as [H1 H2]. apply N.leb_le in H1. apply N.ltb_lt in H2. auto.
Qed.
Lemma bytes_ok p q : bytes_chk cval p q = true -> bytes_apart nv p q.
Proof.
  unfold bytes_chk, bytes_apart. intros H.
  assert (S : at_most cval (plus_ (k_sum cval (p_offset p)) (k_sum cval (p_size p))) (k_sum cval (p_offset q))
    || at_most cval (plus_ (k_sum cval (p_offset q)) (k_sum cval (p_size q))) (k_sum cval (p_offset p)) = true ->
    (nv (p_offset p) + nv (p_size p) <= nv (p_offset q) \/ nv (p_offset q) + nv (p_size q) <= nv (p_offset p))%Z).
  { clear H. intros H. apply orb_true_iff in H as [H|H]; apply at_most_ok in H; rewrite plus_ok_, <- !sum_ok in H; auto. }
  destruct (cval (p_offset p)) as [a|] eqn:E1; [|apply S in H; tauto]. destruct (cval (p_size p)) as [n|] eqn:E2; [|apply S in H; tauto].
  destruct (cval (p_offset q)) as [b|] eqn:E3; [|apply S in H; tauto]. destruct (cval (p_size q)) as [m|] eqn:E4; [|apply S in H; tauto].
  clear S. apply cval_ok in E1, E2, E3, E4. subst.
  repeat (apply orb_true_iff in H as [H|H]); try apply Z.eqb_eq in H; try apply Z.leb_le in H; auto.
Qed.
Lemma address_ok p st c : known_place cval t p st = true -> address_chk cval t p st c = address nv t p st c.
Proof.
  unfold known_place, address_chk, address. intros H. apply andb_true_iff in H as [H1 H2].
  rewrite (known_ok (nv := nv)), (known_map_list (nv := nv)) by auto. auto.
Qed.
Lemma nodup_ok l : nodup l = true -> NoDup l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [constructor|]. apply andb_true_iff in H as [H1 H2].
  constructor; auto. apply existsb_eqb_false. apply negb_true_iff. auto.
Qed.
Lemma order_ok p st : order_chk t p st = true -> full_order t p st.
Proof.
  unfold order_chk. intros H. apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 _].
  split; [apply nodup_ok; auto|]. rewrite forallb_forall in H3, H4. intros d. split; intros I.
  - apply Nat.ltb_lt. auto.
  - specialize (H4 (N.to_nat d)). rewrite in_seq in H4. specialize (H4 ltac:(lia)). apply existsb_exists in H4 as (e & He & E).
    apply N.eqb_eq in E. rewrite N2Nat.id in E. subst. auto.
Qed.
Lemma in_place_ok p q s x y r w : in_place_chk cval t p q s x y r w = true -> in_place nv t p q s x y r w.
Proof.
  unfold in_place_chk, in_place. destruct (accessed s x y); auto; [discriminate|]. intros H. right. split; auto.
  apply andb_true_iff in H as [H H8]. apply andb_true_iff in H as [H H7]. apply andb_true_iff in H as [H H6].
  apply andb_true_iff in H as [H H5]. apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H3].
  apply andb_true_iff in H as [H1 H2]. apply is_true in H3. split; auto. split; [apply order_ok; auto|]. split; [apply order_ok; auto|].
  rewrite forallb_forall in H8. destruct (told_ok (nv := nv) r H1) as [Kr _]. destruct (told_ok (nv := nv) w H2) as [Kw Bw].
  intros i Hi. apply Bw in Hi. specialize (H8 i Hi). apply Z.eqb_eq in H8. rewrite !address_ok, !at_root_ok in H8 by auto. auto.
Qed.
Lemma read_first_ok p q s sp sq : read_first cval t p q s sp sq = true ->
  (forall w, In w (s_writes s) -> v_st w <> sp) /\ (forall r, In r (s_reads s) -> v_st r <> sq) /\
  forall x y r w, nth_error (s_reads s) x = Some r -> nth_error (s_writes s) y = Some w -> v_st r = sp -> v_st w = sq ->
    in_place nv t p q s x y r w.
Proof.
  unfold read_first. intros H. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
  rewrite forallb_forall in H1, H2, H3. split; [|split].
  - intros w Hw. specialize (H1 _ Hw). apply negb_true_iff, N.eqb_neq in H1. auto.
  - intros r Hr. specialize (H2 _ Hr). apply negb_true_iff, N.eqb_neq in H2. auto.
  - intros x y r w Hx Hy Er Ew. specialize (H3 _ (in_numbered _ _ _ Hx)). rewrite forallb_forall in H3.
    specialize (H3 _ (in_numbered _ _ _ Hy)). simpl in H3. rewrite Er, Ew, !N.eqb_refl in H3. simpl in H3.
    apply in_place_ok. auto.
Qed.
Lemma hands_ok p q : hands_chk cval t (by_origin t) p q = true -> hands_over nv t p q.
Proof.
  unfold hands_chk. destruct (p_storage p) as [sp|] eqn:Ep; [|discriminate]. destruct (p_storage q) as [sq|] eqn:Eq; [|discriminate].
  intros H. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H H2]. apply andb_true_iff in H as [H1 H0]. apply N.eqb_eq in H1. apply N.ltb_lt in H0.
  apply negb_true_iff, N.eqb_neq in H2. split; auto. split; auto. exists sp, sq. repeat (split; auto).
  intros j k s u Hj Hk Gj Gk Es Eu Ts Tu. rewrite forallb_forall in H3.
  pose proof (by_origin_ok _ _ Hj Gj) as I. rewrite Es in I. pose proof (by_origin_ok _ _ Hk Gk) as J. rewrite Eu in J.
  specialize (H3 _ I). apply touch_ok in Ts, Tu. simpl in H3. rewrite Ts in H3. simpl in H3. rewrite forallb_forall in H3.
  specialize (H3 _ J). simpl in H3. rewrite Tu in H3. simpl in H3. apply orb_true_iff in H3 as [H3|H3].
  - apply N.ltb_lt in H3. auto.
  - apply andb_true_iff in H3 as [H3 H4]. apply N.eqb_eq in H3. apply read_first_ok in H4 as (R1 & R2 & R3). right. auto.
Qed.
Lemma pairs_ok l : pairs_chk cval t (by_origin t) l = true -> forall j k p q, j <> k -> nth_error l j = Some p ->
  nth_error l k = Some q -> pair_chk cval t (by_origin t) p q = true \/ pair_chk cval t (by_origin t) q p = true.
Proof.
  induction l as [|x l IH]; simpl; intros H j k p q D Hj Hk; [destruct j; discriminate|].
  apply andb_true_iff in H as [H1 H2]. rewrite forallb_forall in H1. destruct j, k; simpl in *; try congruence.
  - inversion Hj; subst. left. apply H1. eapply nth_error_In; eauto.
  - inversion Hk; subst. right. apply H1. eapply nth_error_In; eauto.
  - apply (IH H2 j k); auto.
Qed.
Lemma pair_ok p q : pair_chk cval t (by_origin t) p q = true -> p_arena p = p_arena q ->
  (exists g, p_first p <= g < p_last p /\ p_first q <= g < p_last q)%N ->
  bytes_apart nv p q \/ hands_over nv t p q \/ hands_over nv t q p.
Proof.
  unfold pair_chk. intros H Ea (g & G1 & G2). repeat (apply orb_true_iff in H as [H|H]); auto using bytes_ok, hands_ok.
  exfalso. apply negb_true_iff in H. unfold meet in H. apply N.eqb_eq in Ea. rewrite Ea in H. simpl in H.
  apply andb_false_iff in H as [H|H]; apply N.ltb_ge in H; lia.
Qed.
Lemma bytes_sym p q : bytes_apart nv p q -> bytes_apart nv q p.
Proof. unfold bytes_apart. tauto. Qed.
Lemma well_ok p : places_ok cval t = true -> In p (t_places t) -> well_placed nv t p.
Proof.
  unfold places_ok. intros H Hp. destruct (t_places t) as [|p0 ps] eqn:El; [contradiction|]. rewrite <- El in *.
  apply andb_true_iff in H as [H _]. apply andb_true_iff in H as [H Hl]. rewrite forallb_forall in H, Hl.
  specialize (H _ Hp). apply andb_true_iff in H as [Hb Hs]. split.
  - unfold bounds_chk in Hb. destruct (nth_error _ _) as [e|]; [|discriminate]. exists e. split; auto.
    apply andb_true_iff in Hb as [Hb H3]. apply andb_true_iff in Hb as [H1 H2]. apply at_most_ok in H1, H2, H3.
    rewrite ?plus_ok_, ?value_nil, <- ?sum_ok in *. auto.
  - intros st x Es G. unfold storage_chk in Hs. rewrite Es, G in Hs. apply andb_true_iff in Hs as [Hs H3].
    apply andb_true_iff in Hs as [H1 H2]. repeat split.
    + unfold room_chk in H1. apply andb_true_iff in H1 as [H1 _]. apply Z.ltb_lt in H1. auto.
    + unfold room_chk in H1. apply andb_true_iff in H1 as [_ H1]. apply at_most_ok in H1.
      rewrite !scaled_ok, !product_nil, count_ok, <- sum_ok in H1. lia.
    + apply (lives_ok s p st); auto. apply (Hl (k, s)). apply in_all_steps; auto.
    + apply (lives_ok s p st); auto. apply (Hl (k, s)). apply in_all_steps; auto.
    + intros E. rewrite E, N.eqb_refl in H2. simpl in H2. apply N.eqb_eq in H2. auto.
    + intros L k s Hk Hg. assert (Lv : leaves t st x = true).
      { unfold leaves. apply orb_true_iff. destruct L as [(o & v & Ho & Hv & E)|[E1 E2]].
        - right. apply existsb_exists. exists o. rewrite Hv, E, N.eqb_refl. auto.
        - left. rewrite E1, E2, N.eqb_refl. auto. }
      rewrite Lv in H3. simpl in H3. rewrite forallb_forall in H3. specialize (H3 (k, s) (in_all_steps _ _ _ Hk Hg)).
      apply N.ltb_lt in H3. auto.
Qed.
Theorem places_are_right : places_ok cval t = true -> places_right nv t.
Proof.
  intros H. split; [intros; apply well_ok; auto|]. intros j k p q D Hj Hk Ea G.
  assert (P : pairs_chk cval t (by_origin t) (t_places t) = true).
  { unfold places_ok in H. destruct (t_places t) as [|p0 ps]; [destruct j; discriminate|]. apply andb_true_iff in H as [_ H]. auto. }
  destruct (pairs_ok _ P j k p q D Hj Hk) as [C|C].
  - apply pair_ok; auto.
  - destruct G as (g & G1 & G2). destruct (pair_ok q p C) as [B|[B|B]]; auto; [exists g; auto|]. left. apply bytes_sym. auto.
Qed.

(* --- orders --- *)
Lemma union_in k (s r : P.t unit) : P.find k (union s r) <> None -> P.find k s <> None \/ P.find k r <> None.
Proof.
  unfold union. rewrite P.fold_1. intros H.
  assert (G : forall (l : list (P.key * unit)) (m : P.t unit), P.find k (fold_left (fun a p => P.add (fst p) tt a) l m) <> None ->
    In k (map fst l) \/ P.find k m <> None).
  { induction l as [|[x u] l IH]; simpl; intros m E; auto. apply IH in E as [E|E]; auto.
    destruct (Pos.eq_dec x k) as [->|N]; auto. rewrite P.gso in E by auto. auto. }
  apply G in H as [H|H]; auto. left. apply in_map_iff in H as ([x u] & <- & I). apply P.elements_complete in I. simpl. congruence.
Qed.
Lemma joined_path es m : (forall x y, joined m x y = true -> path es x y) -> forall e, In e es ->
  forall x y, joined (add_edge m e) x y = true -> path es x y.
Proof.
  intros H [p q] He x y J. unfold joined, reached, add_edge in J. simpl in J. destruct (N.eq_dec x p) as [->|D].
  - rewrite get_add_same in J. destruct (N.eq_dec y q) as [->|D]; [constructor; auto|].
    rewrite P.gso in J by (intro E; apply D, succ_pos_inj; auto). destruct (P.find (N.succ_pos y) (union _ _)) as [u|] eqn:E; [|discriminate].
    assert (F : P.find (N.succ_pos y) (union (reached m q) (reached m p)) <> None) by (unfold get, reached in *; congruence).
    apply union_in in F as [F|F].
    + apply Then with q; auto. apply H. unfold joined, get. destruct (P.find _ (reached m q)); congruence.
    + apply H. unfold joined, get. destruct (P.find _ (reached m p)); congruence.
  - rewrite get_add_other in J by auto. apply H. auto.
Qed.
Lemma reach_path es : forall l m, (forall e, In e l -> In e es) -> (forall x y, joined m x y = true -> path es x y) ->
  forall x y, joined (fold_left add_edge l m) x y = true -> path es x y.
Proof.
  induction l as [|e l IH]; simpl; intros m Hl H x y J; auto.
  apply (IH (add_edge m e)); auto. intros. apply (joined_path es m H e); auto.
Qed.
Lemma disturb_ok s u v w : disturb cval t s u = false -> (forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) ->
  (forall v, In v (s_reads u ++ s_writes u) -> in_bounds nv t v) -> In v (s_reads s ++ s_writes s) ->
  In w (s_reads u ++ s_writes u) -> In v (s_writes s) \/ In w (s_writes u) -> apart nv v w.
Proof.
  intros H Bs Bu Hv Hw Hor. unfold disturb in H. apply orb_false_iff in H as [H1 H2].
  assert (C : forall l r, existsb (fun v => existsb (fun w => negb (apart_chk cval t v w)) r) l = false -> In v l -> In w r ->
    apart_chk cval t v w = true).
  { intros l r E Il Ir. destruct (apart_chk cval t v w) eqn:A; auto. rewrite <- E. apply existsb_exists. exists v. split; auto.
    apply existsb_exists. exists w. rewrite A. auto. }
  assert (A : apart_chk cval t v w = true).
  { destruct Hor as [Hs|Hu]; [apply (C _ _ H1); auto|].
    apply in_app_or in Hv as [Hv|Hv]; [apply (C _ _ H2); auto | apply (C _ _ H1); auto]. }
  apply (apart_ok t); auto.
Qed.
Lemma orders_chk_ok m l : orders_chk cval t m l = true -> forall j k x y, (j < k)%nat -> nth_error l j = Some x ->
  nth_error l k = Some y -> s_origin (snd x) = s_origin (snd y) \/ disturb cval t (snd x) (snd y) = false \/
  joined m (s_origin (snd x)) (s_origin (snd y)) = true.
Proof.
  induction l as [|z l IH]; simpl; intros H j k x y L Hj Hk; [destruct j; discriminate|].
  apply andb_true_iff in H as [H1 H2]. rewrite forallb_forall in H1. destruct k; [lia|]. simpl in Hk. destruct j; simpl in Hj.
  - inversion Hj; subst. specialize (H1 _ (nth_error_In _ _ Hk)). repeat (apply orb_true_iff in H1 as [H1|H1]); auto.
    + apply N.eqb_eq in H1. auto.
    + apply negb_true_iff in H1. auto.
  - apply (IH H2 j k); auto. lia.
Qed.
Theorem orders_are_right : orders_ok cval t = true ->
  (forall k s, (k < t_n t)%N -> get k (t_steps t) = Some s -> forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) ->
  (forall k, (k < t_n t)%N -> get k (t_steps t) <> None) -> orders_right nv t.
Proof.
  intros H B All Any. unfold orders_ok in H. rewrite Any in H. simpl in H. apply andb_true_iff in H as [H1 H2].
  rewrite forallb_forall in H1. split.
  - intros x y E. specialize (H1 _ E). apply N.ltb_lt in H1. auto.
  - intros j k s u v w L Hk Gj Gk Hne Hv Hw Hor Na.
    assert (Hj : (j < t_n t)%N) by lia.
    pose proof (nth_all_steps t All j s Hj Gj) as Nj. pose proof (nth_all_steps t All k u Hk Gk) as Nk.
    assert (Ln : (N.to_nat j < N.to_nat k)%nat) by lia.
    destruct (orders_chk_ok _ _ H2 _ _ _ _ Ln Nj Nk) as [E|[E|E]]; simpl in *; [congruence | |].
    + exfalso. apply Na. apply (disturb_ok s u v w E); eauto.
    + rewrite <- rev_alt in E. apply (reach_path (t_edges t) (rev (t_edges t)) (PM.empty _)); auto.
      * intros e. rewrite <- in_rev. auto.
      * intros x y J. unfold joined, reached, get in J. rewrite PM.gempty, P.gempty in J. discriminate.
Qed.
End Right.
