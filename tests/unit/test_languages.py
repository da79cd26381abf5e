"""What a text shows of how its language is written, and what the codes of languages mean."""

import pytest

from attnmt.corpora.language_codes import language_code
from attnmt.corpora.writing import written_without_spaces
from attnmt.planning.proposal import propose_language


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("我爱你，他 说：“OK computer”。 我们都去了北京。", True),
        ("私は YouTube を見る。毎日見ています。", True),
        ("나는 學校에 갔다 그리고 집에 왔다", False),
        ("The Thai word ไทย means free", False),
        ("使用 OpenOffice.org Writer 打开文件 请安装 Microsoft Visual Studio", True),
    ],
)
def test_scripts_without_spaces_are_known_by_their_letters(text, without):
    assert written_without_spaces([text]) == without


@pytest.mark.parametrize(
    ("code", "known"),
    [
        *((code, "de") for code in ("de", "deu", "ger", "de_DE", "de-AT", "DE")),
        *((code, "zh") for code in ("zho", "cmn", "zh_CN", "zho_simpl", "cn")),
        *(("iw", "he"), ("tl", "fil"), ("zh-Hant", "zh"), ("en-GB", "en")),
        ("xx", "xx"),
    ],
)
def test_codes_mean_their_languages(code, known):
    assert language_code(code) == known


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("eng", "A dog, a house.", ("eng", "English (eng)", "moses")),
        ("kor", "나는 학교에 갔다.", ("kor", "Korean (kor)", "words")),
        ("xx", "kla fon bra", ("xx", "xx", "words")),
        ("ja", "私はお茶が好きです。", ("ja", "Japanese", "characters")),
    ],
)
def test_the_proposed_rule_follows_language_and_text(code, text, expected):
    language = propose_language(code, [text])
    assert (language.code, language.name, language.tokenize) == expected
