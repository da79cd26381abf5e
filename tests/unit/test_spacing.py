"""The way back from Moses' tokens: beside sacremoses', and on texts of many languages."""

import pytest
from demo_text import demo_lines
from real_text import needs, written
from sacremoses import MosesDetokenizer

from attnmt.files.text_file import read_lines
from attnmt.text.moses import unescaped
from attnmt.text.spacing import spaced
from attnmt.text.tokenizer import MosesTokenizer

# What sacremoses does not know, so that a difference is no fault
BEYOND = set("“”„‘’«»‹›…/–@_€:") | {"'"}


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    "name",
    [
        "demo",
        pytest.param("news", marks=needs("NEWSTEST_DIR", "newstest2013.en", "newstest2013.de")),
    ],
)
def test_spaces_stand_where_mosess_own_rules_put_them(language, name):
    news = written("NEWSTEST_DIR", f"newstest2013.{language}")
    lines = demo_lines(language, 1000) if name == "demo" else read_lines(news)
    ours, theirs = MosesTokenizer(language, True), MosesDetokenizer(lang=language)
    compared = [line for line in lines if not set(line) & BEYOND]
    assert len(compared) > len(lines) / 2
    for line in compared:
        tokens = ours.tokenize(line)
        assert ours.detokenize(tokens) == theirs.detokenize(ours.joined(tokens)), line


TEXTS = [
    ("en", "It’s late, isn’t it? The dogs’ owner said: ‘I don’t know.’"),
    (
        "en",
        "The Jones' house “is old” (see https://www.x.org/a/b); it cost $5 or 5 € – in 1990–91.",
    ),
    ("en", "The \"well-known\" man's e-mail [draft] isn't R & D."),
    ("de", "Der 3-4-jährige Ex-Chef (47) sagte: „Nein“, z. B. am 1. Mai."),
    ("de", "Maus' Nase, ›so‹ geht's: „Das ‚alte‘ Haus“, sagte sie… »Nein«!"),
    ("fr", "L’homme qu'il a vu aujourd'hui : « c'est l'été » , dit-il ?".replace(" ,", ",")),
    ("it", "L'uomo dell'anno: «c'è» un po' d'acqua."),
    ("ca", "L'aigua d'un col·legi i l'home, a les 11:35: «així és»."),
    ("pl", "„Tak”, powiedział – w 1990 r."),
    ("fi", "EU:n ja USA:ssa tv 5 € ja ”näin”, sanoi hän."),
    ("sv", "EU:s regler och ”så här”, sade hon."),
    ("zh", "我爱你，他说：“好。”"),
]


@pytest.mark.parametrize("split_hyphens", [False, True])
@pytest.mark.parametrize(("language", "text"), TEXTS)
def test_text_comes_back(language, text, split_hyphens):
    rule = MosesTokenizer(language, split_hyphens)
    tokens = rule.tokenize(text)
    assert len(tokens) > len(text.split()) or language == "zh"
    assert rule.detokenize(tokens) == text


@pytest.mark.parametrize(
    ("language", "tokens", "text"),
    [
        ("xx", "나는 학교에 갔다 .", "나는 학교에 갔다."),
        ("th", "ฉัน รัก คุณ 5 คน", "ฉันรักคุณ 5 คน"),
        ("ja", "私 は 、 猫 が 好き 。", "私は、猫が好き。"),
        ("ur", "وہ گیا ۔ کیوں ؟", "وہ گیا۔ کیوں؟"),
        ("am", "ሰላም ። እንዴት ፣ ነህ", "ሰላም። እንዴት፣ ነህ"),
        ("uk", "П ' ять", "П'ять"),
        ("en", "Thanks @ user , write to me @ x.org .", "Thanks @user, write to me@x.org."),
        ("en", '" a " b " c "', '"a" b "c"'),
        ("de", "kostet 5 € pro Stück", "kostet 5 € pro Stück"),
    ],
)
def test_spaces_follow_the_language_and_the_script(language, tokens, text):
    assert spaced([unescaped(token) for token in tokens.split()], language) == text
