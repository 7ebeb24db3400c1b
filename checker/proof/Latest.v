(* Small things about lists and tables, and that [index_of] knows the latest writer of each storage. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Views.
Import ListNotations.

(* --- small things --- *)
Lemma is_true {A B} (d : {A} + {B}) : is d = true -> A.
Proof. destruct d; simpl; congruence. Qed.
Lemma guard_some {A} c (x : option A) y : guard c x = Some y -> c = true /\ x = Some y.
Proof. destruct c; simpl; auto; discriminate. Qed.
Lemma all2_length {A B} (f : A -> B -> bool) l m : all2 f l m = true -> length l = length m.
Proof. revert m; induction l; destruct m; simpl; intros; try discriminate; auto.
  apply andb_true_iff in H as [? H']; f_equal; auto. Qed.
Lemma all2_nth {A B} (f : A -> B -> bool) l m k x y :
  all2 f l m = true -> nth_error l k = Some x -> nth_error m k = Some y -> f x y = true.
Proof. revert m k; induction l; destruct m; destruct k; simpl; intros; try discriminate;
  match goal with H : _ && _ = true |- _ => apply andb_true_iff in H as [? ?] end; try congruence. eapply IHl; eauto. Qed.
Lemma all2_map_eq {A B C} (f : A -> B -> bool) (g : A -> C) (h : B -> C) l m :
  all2 f l m = true -> (forall x y, In x l -> In y m -> f x y = true -> g x = h y) -> map g l = map h m.
Proof. revert m; induction l; destruct m; simpl; intros; try discriminate; auto.
  apply andb_true_iff in H as [? ?]; f_equal; auto. Qed.
Lemma all2_and {A B} (f g : A -> B -> bool) l m :
  all2 f l m = true -> all2 g l m = true -> all2 (fun x y => f x y && g x y) l m = true.
Proof. revert m; induction l; destruct m; simpl; intros H1 H2; auto.
  apply andb_true_iff in H1 as [? ?]. apply andb_true_iff in H2 as [? ?].
  apply andb_true_iff; split; [apply andb_true_iff; auto | auto]. Qed.
Lemma in_combine_seq {A} (l : list A) s k x :
  In (k, x) (combine (seq s (length l)) l) <-> (s <= k)%nat /\ nth_error l (k - s) = Some x.
Proof.
  revert s; induction l; simpl; intros; split; intros.
  - contradiction.
  - destruct H as [_ H]; destruct (k - s)%nat; discriminate.
  - destruct H.
    + inversion H; subst. rewrite Nat.sub_diag; auto.
    + apply IHl in H as [H1 H2]. split; [lia|]. replace (k - s)%nat with (S (k - S s)) by lia. auto.
  - destruct H as [H1 H2]. destruct (Nat.eq_dec k s) as [->|].
    + rewrite Nat.sub_diag in H2; inversion H2; auto.
    + right. apply IHl. split; [lia|]. replace (k - s)%nat with (S (k - S s)) in H2 by lia. auto.
Qed.
Lemma in_numbered {A} (l : list A) k x : nth_error l k = Some x -> In (k, x) (combine (seq 0 (length l)) l).
Proof. intros. apply in_combine_seq. rewrite Nat.sub_0_r. split; [lia | auto]. Qed.
Lemma numbered_in {A} (l : list A) k x : In (k, x) (combine (seq 0 (length l)) l) -> nth_error l k = Some x.
Proof. intros. apply in_combine_seq in H as [_ H]. rewrite Nat.sub_0_r in H. auto. Qed.

(* --- the latest writer of a storage before a time --- *)
Lemma get_add_same {A} k (x : A) m : get k (PM.add (N.succ_pos k) x m) = Some x.
Proof. unfold get. apply PM.gss. Qed.
Lemma succ_pos_inj j k : N.succ_pos j = N.succ_pos k -> j = k.
Proof. intros. apply (f_equal Npos) in H. rewrite !N.succ_pos_spec in H. lia. Qed.
Lemma get_add_other {A} j k (x : A) m : j <> k -> get j (PM.add (N.succ_pos k) x m) = get j m.
Proof. intros. unfold get. apply PM.gso. intro. apply succ_pos_inj in H0. auto. Qed.
Definition stores (t : trace) (k s : N) : Prop := exists st, get k (t_steps t) = Some st /\ In s (map v_st (s_writes st)).
Definition latest (t : trace) (s time : N) (v : option N) : Prop :=
  match v with
  | None => forall k, (k < time)%N -> ~ stores t k s
  | Some p => stores t p s /\ (p < time)%N /\ forall k, (k < time)%N -> stores t k s -> (k <= p)%N
  end.
Lemma fold_writes (k : N) l (c : PM.t N) s : get s (fold_left (fun (c : PM.t N) s => PM.add (N.succ_pos s) k c) l c) = if in_dec N.eq_dec s l then Some k else get s c.
Proof.
  revert c; induction l as [|x l IH]; intros c; simpl; auto. rewrite IH.
  destruct (in_dec N.eq_dec s l), (N.eq_dec x s); auto.
  - subst. apply get_add_same.
  - apply get_add_other. auto.
Qed.
Lemma iterate_ok t n : fst (iterate t n) = n /\ (forall s, latest t s n (get s (fst (snd (iterate t n))))) /\
  forall time s v, In (s, v) (entries (snd (snd (iterate t n))) time) -> latest t s time v.
Proof.
  unfold iterate. set (g := fun p : N * (PM.t N * notes) => (N.succ (fst p), add_step t (fst p) (snd p))). induction n using N.peano_ind.
  - simpl. split; auto. split.
    + intros s. unfold get. rewrite PM.gempty. simpl. intros; lia.
    + intros time s v H. unfold entries, get in H. rewrite PM.gempty in H. contradiction.
  - rewrite N.iter_succ. destruct IHn as (E & Cur & Ann). destruct (N.iter n g _) as [j [cur ix]]. simpl in *. subst j.
    split; auto. unfold add_step. simpl. destruct (get n (t_steps t)) as [st|] eqn:G; simpl.
    + split.
      * intros s. rewrite fold_writes. specialize (Cur s). destruct (in_dec N.eq_dec s (map v_st (s_writes st))) as [I|I].
        -- simpl. split; [exists st; auto|]. split; [lia|]. intros; lia.
        -- assert (Ns : ~ stores t n s) by (intros (st' & G' & I'); congruence).
           destruct (get s cur) as [p|]; simpl in *.
           ++ destruct Cur as (C1 & C2 & C3). split; auto. split; [lia|]. intros k L S.
              destruct (N.eq_dec k n) as [->|]; [contradiction|]. apply C3; auto. lia.
           ++ intros k L S. destruct (N.eq_dec k n) as [->|]; [contradiction|]. apply (Cur k); auto. lia.
      * intros time s v H. unfold entries in H. destruct (N.eq_dec time n) as [->|D].
        -- rewrite get_add_same in H. apply in_map_iff in H as (x & E & I). inversion E; subst. auto.
        -- rewrite get_add_other in H by auto. auto.
    + split; auto. intros s. specialize (Cur s). assert (Ns : ~ stores t n s) by (intros (st' & G' & I'); congruence).
      destruct (get s cur) as [p|]; simpl in *.
      * destruct Cur as (C1 & C2 & C3). split; auto. split; [lia|]. intros k L S.
        destruct (N.eq_dec k n) as [->|]; [contradiction|]. apply C3; auto. lia.
      * intros k L S. destruct (N.eq_dec k n) as [->|]; [contradiction|]. apply (Cur k); auto. lia.
Qed.
Lemma assoc_in s l v : assoc s l = Some v -> In (s, v) l.
Proof. induction l as [|[x y] l IH]; simpl; [discriminate|]. destruct (N.eqb_spec x s); intros H; [inversion H; subst; auto | auto]. Qed.
Lemma index_of_ok t s time v : prev (index_of t) s time = Some v -> latest t s time v.
Proof.
  unfold prev. destruct (N.eqb_spec time 0).
  - intros H; inversion H; subst. simpl. intros; lia.
  - unfold index_of. simpl. destruct (iterate_ok t (t_n t)) as (_ & Cur & Ann). destruct (N.eqb_spec time (t_n t)).
    + intros H; inversion H; subst. apply Cur.
    + destruct (assoc s _) as [w|] eqn:A; [intros H; inversion H; subst; apply assoc_in in A; auto|].
      destruct (get (N.pred time) (t_steps t)) as [st|] eqn:G; [|discriminate].
      destruct (existsb _ _) eqn:X; [|discriminate]. intros H; inversion H; subst. apply existsb_exists in X as (w & I & E).
      apply N.eqb_eq in E. split; [exists st; split; auto; apply in_map_iff; eauto|]. split; [lia|]. intros; lia.
Qed.
(* --- lists at places of a table --- *)
Lemma entries_put {A} (m : PM.t (list A)) k x j y : In y (entries (put m k x) j) -> (j = k /\ y = x) \/ In y (entries m j).
Proof.
  unfold entries, put. destruct (N.eq_dec j k) as [->|].
  - rewrite get_add_same. simpl. intros [<-|]; auto.
  - rewrite get_add_other; auto.
Qed.
Lemma in_put {A} (m : PM.t (list A)) k x j y : (j = k /\ y = x) \/ In y (entries m j) -> In y (entries (put m k x) j).
Proof.
  unfold entries, put. destruct (N.eq_dec j k) as [->|D].
  - rewrite get_add_same. simpl. intros [[_ ->]|]; auto.
  - rewrite get_add_other; auto. intros [[E _]|]; auto; congruence.
Qed.

(* --- all steps, in order --- *)
Section Steps.
Variable t : trace.
Let f := fun p : N * list (N * step) => (N.succ (fst p), match get (fst p) (t_steps t) with
  Some s => (fst p, s) :: snd p | None => snd p end).
Lemma steps_counted n : fst (N.iter n f (0%N, [])) = n.
Proof. induction n using N.peano_ind; auto. rewrite N.iter_succ. simpl. congruence. Qed.
Lemma in_all_steps k s : (k < t_n t)%N -> get k (t_steps t) = Some s -> In (k, s) (all_steps t).
Proof.
  intros Hk Hg. unfold all_steps. rewrite <- rev_alt. apply -> in_rev. fold f. revert Hk. generalize (t_n t). intro n. induction n using N.peano_ind; [lia|].
  intros L. rewrite N.iter_succ. unfold f at 1. simpl. rewrite steps_counted. destruct (N.eq_dec k n) as [->|D].
  - rewrite Hg. left. auto.
  - destruct (get n (t_steps t)); [right|]; apply IHn; lia.
Qed.
Hypothesis All : forall k, (k < t_n t)%N -> get k (t_steps t) <> None.
Lemma nth_steps n : (n <= t_n t)%N -> length (snd (N.iter n f (0%N, []))) = N.to_nat n /\
  forall k s, (k < n)%N -> get k (t_steps t) = Some s -> nth_error (rev (snd (N.iter n f (0%N, [])))) (N.to_nat k) = Some (k, s).
Proof.
  induction n using N.peano_ind; [split; auto; intros; lia|]. intros L. destruct IHn as [IH1 IH2]; [lia|].
  rewrite N.iter_succ. unfold f at 1 3. simpl. rewrite steps_counted.
  destruct (get n (t_steps t)) as [u|] eqn:G; [|exfalso; apply (All n); auto; lia]. simpl. split; [rewrite IH1; lia|].
  intros k s Hk Hg. destruct (N.eq_dec k n) as [->|D].
  - rewrite nth_error_app2; rewrite rev_length, IH1; [|lia]. rewrite Nat.sub_diag. simpl. congruence.
  - rewrite nth_error_app1; [apply IH2; auto; lia|]. rewrite rev_length, IH1. lia.
Qed.
Lemma nth_all_steps k s : (k < t_n t)%N -> get k (t_steps t) = Some s -> nth_error (all_steps t) (N.to_nat k) = Some (k, s).
Proof. intros Hk Hg. destruct (nth_steps (t_n t)) as [_ H]; [lia|]. unfold all_steps. rewrite <- rev_alt. apply H; auto. Qed.
End Steps.
