from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import TypeAdapter, ValidationError

from nodes.pieces import Slot, kind_of
from nodes.quantities import Count


@dataclass(frozen=True, kw_only=True)
class Circle:
    """A piece with one parameter."""

    kind: Literal["circle"] = "circle"
    radius: Count = 1


@dataclass(frozen=True, kw_only=True)
class Square:
    """A piece whose parameter must be given."""

    kind: Literal["square"] = "square"
    side: Count


Shape = TypeAdapter[Any](Annotated[Circle | Square, Slot("shape")])
Default = TypeAdapter[Any](Annotated[Circle | Square, Slot("shape", default="square")])
Single = TypeAdapter[Any](Annotated[Circle, Slot("shape", default="circle")])


def test_the_kind_is_the_default_of_its_field() -> None:
    """``kind_of`` reads the word from the class, without an instance."""
    assert kind_of(Square) == "square"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("circle", Circle()),
        ({"kind": "circle", "radius": 3}, Circle(radius=3)),
        ({"kind": "square", "side": 2}, Square(side=2)),
        (Circle(radius=9), Circle(radius=9)),
    ],
)
def test_words_mappings_and_pieces(given: Any, meant: Any) -> None:
    """A bare word stands for a mapping with its kind; a piece stands for itself."""
    assert Shape.validate_python(given) == meant


def test_a_place_may_have_a_default_kind() -> None:
    """A mapping without a kind means the default; one with a kind, that kind."""
    assert Default.validate_python({"side": 2}) == Square(side=2)
    assert Default.validate_python({"kind": "circle"}) == Circle()


def test_a_place_for_a_single_class() -> None:
    """A place with one class only works like a union."""
    assert Single.validate_python({}) == Circle()
    assert Single.validate_python("circle") == Circle()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("sqare", "'sqare' is not a kind of shape; did you mean square?"),
        ("blob", "'blob' is not a kind of shape; known are circle, square, or module:Class of your own"),
        ({"kind": "cirle"}, "did you mean circle?"),
        ({"radius": 1}, "the kind of shape is missing; add kind: with one of circle, square"),
        ({"kind": 3}, "the kind of shape is missing"),
        (3, "3 is not a shape; write one of circle, square, or a mapping with its kind"),
        (None, "None is not a shape"),
    ],
)
def test_other_things_are_refused_with_the_remedy(given: Any, message: str) -> None:
    """The message shows what was written and what may be."""
    with pytest.raises(ValidationError) as refused:
        Shape.validate_python(given)
    assert message in str(refused.value)


def test_parameters_are_validated_as_declared() -> None:
    """A piece's fields are read by their own types, and a missing one is reported as such."""
    with pytest.raises(ValidationError, match="0 is not a whole number of 1 or more"):
        Shape.validate_python({"kind": "circle", "radius": 0})
    with pytest.raises(ValidationError, match=r"square\.side\n\s+Field required"):
        Shape.validate_python({"kind": "square"})


def test_classes_of_the_users_own_go_to_the_reader() -> None:
    """``module:Class`` is handed, as a mapping, to the function that the reader puts into the context."""
    found = Shape.validate_python({"kind": "mine:Blob", "size": 2}, context={"own": lambda given: ("own", given)})
    assert found == ("own", {"kind": "mine:Blob", "size": 2})
    assert Shape.validate_python("mine:Blob", context={"own": dict}) == {"kind": "mine:Blob"}


def test_the_mapping_given_is_not_changed() -> None:
    """Reading leaves the user's mapping as it is."""
    mapping = {"side": 2}
    Default.validate_python(mapping)
    assert mapping == {"side": 2}
