"""Lines for property tests: words of many scripts with all that may stand at and inside of them."""

from hypothesis import strategies as st

LATIN = "Haus été naïve I don't l'aigua Ali'nin d'or It’s П'ять o‘zbek ọ́rọ̀ e\u0301te\u0301"
OTHERS = "می‌روم שלום مرحبا क्षेत्र क्‍ष தமிழ் ខ្មែរ ภาษาไทย 한국어 각 日本語 中文"
MIXED = "3.5 1,000 10:30 ½ ٣٫٥ 5km U.S. z.B. e-mail a_b http://x.org/a?b=c&d @you #tag"
PICTURES = "👩\u200d🚀 🇩🇪 1\ufe0f\u20e3"
OUR_MARKS = "￭ ▁ @-@ @@ <unk> </s> &amp; &#91; | [ ] ■"
SIGNS = ". , ; : ! ? … ... .. ' '' \" “ ” „ ‘ ’ « » ( ) [ ] ، ؟ ۔ । 。 、 ። - – / %"
UNSEEN = ["\u0301", "\u200c", "\u200d", "\ufeff", "\u00ad", "\u200b", "\x01", "\u0600"]
SPACES = [" ", "  ", "\t", "\u00a0", "\u202f", "\u2028", "\u3000", "\x1c", "\x85"]

WORDS = " ".join([LATIN, OTHERS, MIXED, PICTURES, OUR_MARKS, SIGNS]).split()
LINES = st.lists(st.sampled_from(WORDS + UNSEEN + SPACES * 3), max_size=14).map("".join)
