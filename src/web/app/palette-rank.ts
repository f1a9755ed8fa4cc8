/** How a text fits what was typed: the higher the better, and which of its letters were typed. */
export interface Fit {
  readonly score: number
  /** Spans of the text, in order and apart from each other. */
  readonly spans: readonly Span[]
}

type Span = readonly [from: number, to: number]

/** From the best to the weakest: how much of the text what was typed is. */
const tiers = { exact: 5, prefix: 4, words: 3, inside: 2, letters: 1 } as const
const perTier = 1000

/**
 * How `text` fits what was typed, without regard to case; undefined where it does not. Each word that was
 * typed must be in it: as its beginning, as that of a word of it, anywhere, or as letters in order, the first of
 * which begins a word. Of two texts that fit alike the shorter one is meant.
 */
export function fit(text: string, typed: string): Fit | undefined {
  const whole = fold(text)
  const words = wordsOf(typed)
  const score = scoreOf(whole, words)
  return score === undefined
    ? undefined
    : { score, spans: joined(words.flatMap((word) => spansOf(whole, word))) }
}

function wordsOf(typed: string): readonly string[] {
  return fold(typed)
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** How well folded words are in a folded text: that of the weakest of them. */
function scoreOf(whole: string, words: readonly string[]): number | undefined {
  if (words.length === 0) return 0
  let tier: number = tiers.exact
  for (const word of words) {
    const found = wordTier(whole, word)
    if (found === undefined) return undefined
    tier = Math.min(tier, found)
  }
  if (words.length > 1 && tier > tiers.inside) {
    const together = words.join(' ')
    if (whole === together) tier = tiers.exact
    else tier = whole.startsWith(together) ? tiers.prefix : tiers.words
  }
  return tier * perTier - Math.min(whole.length, perTier - 1)
}

/** Lower case, letter by letter, so that a place in it is the same place in the text. */
function fold(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (letter) => {
    const small = letter.toLowerCase()
    return small.length === letter.length ? small : letter
  }).join('')
}

function wordTier(text: string, word: string): number | undefined {
  const first = text.indexOf(word)
  if (first === 0) return text.length === word.length ? tiers.exact : tiers.prefix
  if (first > 0) return wordStart(text, word, first) === undefined ? tiers.inside : tiers.words
  return lettersOf(text, word) === undefined ? undefined : tiers.letters
}

/** Where a word of the text begins with `word`, from `first` on, where it is for the first time. */
function wordStart(text: string, word: string, first: number): number | undefined {
  for (let at = first; at !== -1; at = text.indexOf(word, at + 1)) {
    if (beginsWord(text, at)) return at
  }
  return undefined
}

/** Where a word is that is known to be in the text. */
function spansOf(text: string, word: string): readonly Span[] {
  const first = text.indexOf(word)
  if (first === -1) return lettersOf(text, word) ?? []
  const at = wordStart(text, word, first) ?? first
  return [[at, at + word.length]]
}

/** The letters of a word in their order, from the first place where a word of the text begins with it. */
function lettersOf(text: string, word: string): readonly Span[] | undefined {
  let start = text.indexOf(word.charAt(0))
  while (start > 0 && !beginsWord(text, start)) start = text.indexOf(word.charAt(0), start + 1)
  if (start === -1) return undefined
  const spans: Span[] = []
  let at = start
  for (const letter of word) {
    const found = text.indexOf(letter, at)
    if (found === -1) return undefined
    at = found + letter.length
    spans.push([found, at])
  }
  return spans
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || !isLetter.test(text.charAt(at - 1))
}

const isLetter = /[\p{L}\p{N}]/u

/** In order, and those that touch or overlap as one. */
function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = []
  for (const span of spans.toSorted(([a], [b]) => a - b)) {
    const last = all.at(-1)
    if (last === undefined || span[0] > last[1]) all.push(span)
    else all[all.length - 1] = [last[0], Math.max(last[1], span[1])]
  }
  return all
}

/** What can be found: its label is what is matched, and `also` is what is typed for it as well. */
export interface Findable {
  readonly label: string
  readonly also?: string | undefined
  /** It fits by chance, as few letters of an id do: whatever else has a word that begins with them is meant. */
  readonly isByChance?: boolean
}

/** Something that was found, with the letters of its label that were typed. */
export interface Found<Entry extends Findable> {
  readonly entry: Entry
  readonly fit: Fit
}

/**
 * The entries that fit what was typed, at most `most`: the best first, and of those that fit alike the ones
 * that were used last (`recent`: their labels, newest first), then in the order they came.
 */
export function rank<Entry extends Findable>(
  entries: Iterable<Entry>,
  typed: string,
  most: number,
  recent: readonly string[] = [],
): readonly Found<Entry>[] {
  const ages = new Map(recent.map((label, index) => [label, index] as const))
  const words = wordsOf(typed)
  const best: Scored<Entry>[] = []
  for (const entry of entries) {
    const own = scoreOf(foldedLabel(entry), words)
    const any = own ?? (entry.also === undefined ? undefined : scoreOf(fold(entry.also), words))
    if (any === undefined) continue
    const score = entry.isByChance === true ? Math.min(any, tiers.inside * perTier) : any
    const age = ages.get(entry.label) ?? recent.length
    const one = { entry, score, age, isOwn: own !== undefined }
    // Of ten thousand that fit a screenful is kept: each goes to its place, the last one goes.
    if (best.length === most && !isBefore(one, best.at(-1))) continue
    const place = best.findIndex((other) => isBefore(one, other))
    best.splice(place === -1 ? best.length : place, 0, one)
    if (best.length > most) best.pop()
  }
  return best.map(({ entry, score, isOwn }) => ({
    entry,
    // What is typed besides the label has no letters to show in it.
    fit: { score, spans: (isOwn ? fit(entry.label, typed)?.spans : undefined) ?? [] },
  }))
}

interface Scored<Entry> {
  readonly entry: Entry
  readonly score: number
  readonly age: number
  /** Whether its label fits, and not only what it is called besides. */
  readonly isOwn: boolean
}

function isBefore(one: Scored<unknown>, other: Scored<unknown> | undefined): boolean {
  if (other === undefined) return true
  const tier = tierOf(one) - tierOf(other)
  if (tier !== 0) return tier > 0
  return one.age === other.age ? one.score > other.score : one.age < other.age
}

const foldedLabels = new WeakMap<Findable, string>()

/** The label in lower case, which is needed again at the next key. */
function foldedLabel(entry: Findable): string {
  const known = foldedLabels.get(entry)
  if (known !== undefined) return known
  const folded = fold(entry.label)
  foldedLabels.set(entry, folded)
  return folded
}

/** The fit without regard to the length of the text: 5 for all of it down to 1 for letters in order. */
export function tierOf({ score }: { readonly score: number }): number {
  return Math.ceil(score / perTier)
}
