(* Tables: what stands at a place. Neighbours stand together, in blocks of sixteen, so that what is used one after the other lies
   close in memory; each block, and the table of blocks, is a PositiveMap of Coq's library. Nothing in here has to be believed but
   that these are tables: what was put at a place is found there ([gss]), and nothing else changes ([gso], [gempty]). *)
Require Import List ZArith NArith FMapPositive.
Import ListNotations.
Module P := PositiveMap.

Module PM.
Definition t (A : Type) : Type := P.t (P.t A).
(* Which block, and where in it: the last four bits with a one before them, or the number itself. *)
Definition high (p : positive) : positive :=
  match p with
  | xO (xO (xO (xO q))) | xO (xO (xO (xI q))) | xO (xO (xI (xO q))) | xO (xO (xI (xI q)))
  | xO (xI (xO (xO q))) | xO (xI (xO (xI q))) | xO (xI (xI (xO q))) | xO (xI (xI (xI q)))
  | xI (xO (xO (xO q))) | xI (xO (xO (xI q))) | xI (xO (xI (xO q))) | xI (xO (xI (xI q)))
  | xI (xI (xO (xO q))) | xI (xI (xO (xI q))) | xI (xI (xI (xO q))) | xI (xI (xI (xI q))) => q
  | _ => xH
  end.
Definition low (p : positive) : positive :=
  match p with
  | xO (xO (xO (xO q))) => 16 | xI (xO (xO (xO q))) => 17 | xO (xI (xO (xO q))) => 18 | xI (xI (xO (xO q))) => 19
  | xO (xO (xI (xO q))) => 20 | xI (xO (xI (xO q))) => 21 | xO (xI (xI (xO q))) => 22 | xI (xI (xI (xO q))) => 23
  | xO (xO (xO (xI q))) => 24 | xI (xO (xO (xI q))) => 25 | xO (xI (xO (xI q))) => 26 | xI (xI (xO (xI q))) => 27
  | xO (xO (xI (xI q))) => 28 | xI (xO (xI (xI q))) => 29 | xO (xI (xI (xI q))) => 30 | xI (xI (xI (xI q))) => 31
  | small => small
  end%positive.
Definition empty A : t A := P.empty _.
Definition find {A} (p : positive) (m : t A) : option A :=
  match P.find (high p) m with Some b => P.find (low p) b | None => None end.
Definition add {A} (p : positive) (x : A) (m : t A) : t A :=
  let q := high p in P.add q (P.add (low p) x (match P.find q m with Some b => b | None => P.empty A end)) m.
Definition map {A B} (f : A -> B) (m : t A) : t B := P.mapi (fun _ => P.mapi (fun _ => f)) m.

(* the place of which these are block and place in the block *)
Fixpoint behind (r q : positive) : positive := match r with xH => q | xO r' => xO (behind r' q) | xI r' => xI (behind r' q) end.
Definition join (q r : positive) : positive := if Pos.ltb r 16 then r else behind r q.

Lemma join_ok p : join (high p) (low p) = p.
Proof. do 4 (destruct p as [p|p|]; try reflexivity). Qed.
Lemma halves p p' : high p = high p' -> low p = low p' -> p = p'.
Proof. intros H L. rewrite <- (join_ok p), <- (join_ok p'). congruence. Qed.
Lemma gempty {A} p : find p (empty A) = None.
Proof. unfold find, empty. rewrite P.gempty. auto. Qed.
Lemma gss {A} p (x : A) m : find p (add p x m) = Some x.
Proof. unfold find, add. rewrite P.gss. apply P.gss. Qed.
Lemma gso {A} p p' (x : A) m : p <> p' -> find p (add p' x m) = find p m.
Proof.
  intros D. unfold find, add. destruct (Pos.eq_dec (high p) (high p')) as [E|E]; [|rewrite P.gso; auto].
  rewrite E, P.gss. rewrite P.gso by (intro L; apply D, halves; auto). destruct (P.find (high p') m); auto. apply P.gempty.
Qed.
Lemma gmap {A B} (f : A -> B) p m : find p (map f m) = option_map f (find p m).
Proof. unfold find, map. rewrite P.gmapi. destruct (P.find (high p) m); simpl; auto. apply P.gmapi. Qed.

(* --- all that stands in a table --- *)
Fixpoint each {A} (test : A -> bool) (m : P.t A) : bool :=
  match m with
  | P.Leaf _ => true
  | P.Node m0 x m1 => each test m0 && each test m1 && match x with Some y => test y | None => true end
  end.
Definition every {A} (test : A -> bool) (m : t A) : bool := each (each test) m.
(* with its place, those that pass *)
Fixpoint gather {A B} (f : positive -> A -> list B -> list B) (m : P.t A) (k : positive -> positive) (l : list B) : list B :=
  match m with
  | P.Leaf _ => l
  | P.Node m0 x m1 =>
    let l' := gather f m0 (fun p => k (xO p)) (gather f m1 (fun p => k (xI p)) l) in match x with Some y => f (k xH) y l' | None => l' end
  end.
Definition pick {A} (f : A -> bool) (m : t A) : list (N * A) :=
  gather (fun q b => gather (fun r x l => if f x then (Pos.pred_N (join q r), x) :: l else l) b (fun p => p)) m (fun p => p) [].

Lemma each_ok {A} (test : A -> bool) m : each test m = true -> forall i x, P.find i m = Some x -> test x = true.
Proof.
  induction m as [|m0 IH0 y m1 IH1]; intros H i x F; [rewrite P.gleaf in F; discriminate|]. simpl in H.
  apply andb_prop in H as [H Hy]. apply andb_prop in H as [H0 H1]. destruct i as [i|i|]; simpl in F; eauto. subst y. auto.
Qed.
Lemma every_ok {A} (test : A -> bool) m : every test m = true -> forall i x, find i m = Some x -> test x = true.
Proof.
  intros H i x F. unfold find in F. destruct (P.find (high i) m) as [b|] eqn:E; [|discriminate].
  eapply each_ok; [|eassumption]. eapply (each_ok (each test)); eauto.
Qed.
Section Gather.
Context {A B : Type} (f : positive -> A -> list B -> list B) (Keeps : forall q x l z, In z l -> In z (f q x l)).
Lemma gather_rest m : forall k l z, In z l -> In z (gather f m k l).
Proof. induction m as [|m0 IH0 x m1 IH1]; simpl; intros k l z H; auto. destruct x; auto. Qed.
Lemma gather_in m : forall k l i x z, P.find i m = Some x -> (forall l', In z (f (k i) x l')) -> In z (gather f m k l).
Proof.
  induction m as [|m0 IH0 y m1 IH1]; intros k l i x z H F; [rewrite P.gleaf in H; discriminate|].
  assert (R : In z (gather f m0 (fun p => k (xO p)) (gather f m1 (fun p => k (xI p)) l)) -> In z (gather f (P.Node m0 y m1) k l)).
  { simpl. intros Hz. destruct y; auto. }
  destruct i as [i|i|]; simpl in H.
  - apply R, gather_rest. apply (IH1 (fun p => k (xI p)) _ i x); auto.
  - apply R. apply (IH0 (fun p => k (xO p)) _ i x); auto.
  - subst y. simpl. auto.
Qed.
End Gather.
Lemma pick_in {A} f (m : t A) i x : find i m = Some x -> f x = true -> In (Pos.pred_N i, x) (pick f m).
Proof.
  intros H F. unfold find in H. destruct (P.find (high i) m) as [b|] eqn:E; [|discriminate]. unfold pick.
  set (g := fun q r y l => if f y then (Pos.pred_N (join q r), y) :: l else l).
  assert (K : forall q r y l z, In z l -> In z (g q r y l)) by (intros q r y l z Hz; unfold g; destruct (f y); simpl; auto).
  apply (gather_in (fun q b => gather (g q) b (fun p => p))) with (i := high i) (x := b); auto.
  - intros q y l z Hz. apply gather_rest; auto.
  - intros l'. apply gather_in with (i := low i) (x := x); auto. intros l''. unfold g. rewrite F, join_ok. left. auto.
Qed.
End PM.
