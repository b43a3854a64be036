"""A question is answered once, in time, and only as it was asked."""

from abilities_host.questions import Questions, bind

ASKED = bind("ann", "notes/put", {"id": "a"})


def test_an_answer_is_used_up() -> None:
    questions = Questions()
    state = questions.ask(ASKED)
    assert [questions.take(state, ASKED), questions.take(state, ASKED)] == [True, False]


def test_an_answer_to_another_question_does_not_count() -> None:
    questions = Questions()
    state = questions.ask(ASKED)
    assert not questions.take(state, bind("ann", "notes/put", {"id": "b"}))


def test_a_late_answer_does_not_count() -> None:
    questions = Questions(seconds=-1)
    assert not questions.take(questions.ask(ASKED), ASKED)


def test_a_forged_state_does_not_count() -> None:
    assert not Questions().take("forged", ASKED)


def test_the_oldest_question_is_forgotten_at_the_limit() -> None:
    questions = Questions(limit=2)
    states = [questions.ask(ASKED) for _ in range(3)]
    assert len(questions) == 2
    assert [questions.take(state, ASKED) for state in states] == [False, True, True]


def test_whatever_differs_is_another_binding() -> None:
    bindings = {bind("a", 1), bind("a", 2), bind("a", [1]), bind(b"a", 1), bind(1, "a")}
    assert len(bindings) == 5
