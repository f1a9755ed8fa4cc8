import { parseExactJson, writtenMembers } from './exact-json.ts'
import { parsedJson } from './parsed-text.ts'

/**
 * How values are nested in an object: `{[lists]: [{[head]: …, [values]: [value, …]}, …]}`, with other
 * members anywhere. The values of a list belong to the head beside them, before or after.
 */
export interface NestedValues {
  readonly lists: string
  readonly head: string
  readonly values: string
  /** What else a list, or the object around lists, says, as documents; `isEmpty`: it has no values, or no lists. */
  readonly beside: (
    members: Readonly<Record<string, unknown>>,
    isEmpty: boolean,
  ) => readonly unknown[]
}

export interface JsonElement {
  readonly text: string
  /** Puts values that have the same `within` into a document like theirs that holds no others. */
  readonly within: (values: readonly unknown[]) => unknown
}

/** Reads the text of a JSON document piece by piece; an array, or nested values, as its elements. */
export interface JsonSplitter {
  /** The elements that end in this piece, which may be cut anywhere. */
  readonly push: (piece: string) => readonly JsonElement[]
  /** Says that nothing follows; gives what could not be told before, and what the document was. */
  readonly end: () => { readonly elements: readonly JsonElement[]; readonly was: EndOfJson }
}

export type EndOfJson =
  /** What it says beside its elements is in `rest`, as documents; of none at all it is the whole. */
  | { readonly is: 'split'; readonly rest: readonly unknown[] }
  /**
   * It began as one that has elements, and ends too soon, goes on after its end, or is no JSON as a
   * whole; or a name comes twice in an object, where nobody knows which one counts.
   */
  | { readonly is: 'broken' }
  /** Anything else: its whole text, which nothing was told of before. */
  | { readonly is: 'other'; readonly text: string }

/** An array or an object whose items are looked at one by one. */
interface Frame {
  readonly closedBy: number
  /** What is looked into where a bracket begins the value of an item, of which `before` was read. */
  readonly open: (bracket: number, before: string) => Frame | undefined
  /** An item that was not looked into, as it is written. */
  readonly item: (text: string) => void
  /** Its end, or that of a document that ends too soon. */
  readonly close: (isWhole: boolean) => void
}

/**
 * Nothing was read yet. Only quotes and brackets are looked at: a document is JSON if each of the texts
 * is, and it was not broken. Each character is looked at once, however the document is cut. `push`
 * throws a RangeError when more than `longest` characters have to be held.
 */
export function createJsonSplitter(nested?: NestedValues, longest = Infinity): JsonSplitter {
  let place: 'before' | 'inside' | 'after' | 'other' = 'before'
  /** The whole text of what may yet be anything else. */
  let whole: string[] | undefined = []
  let wholeLength = 0
  const frames: Frame[] = []
  let found: JsonElement[] = []
  let rest: () => readonly unknown[] = () => []
  let isBroken = false

  // Of the item that is being read:
  let held: string[] = []
  let heldLength = 0
  let depth = 0
  let isText = false
  let isEscaped = false
  /** Nothing of it was looked into, and no bracket came. */
  let isFresh = true
  /** It was looked into or told: what is left of it is white space. */
  let isTaken = false
  /** It begins with a bracket, and so ends with that one's partner. */
  let isBracketed = false
  let isFirst = true

  function arrayFrame(put: (text: string) => void, open: Frame['open'] = () => undefined): Frame {
    return { closedBy: closeBracket, open, item: put, close: () => undefined }
  }

  /** An array as a document of its own. */
  function rootArray(): Frame {
    let isEmpty = true
    rest = () => (isEmpty ? [[]] : [])
    return arrayFrame((text) => {
      isEmpty = false
      found.push({ text, within: asArray })
    })
  }

  function answerFrame({ lists, head, values, beside: besideOf }: NestedValues): Frame {
    const members = createJsonMembers()
    const besideLists: unknown[] = []
    let isEmpty = true
    const withLists = (all: readonly unknown[]): unknown => ({ [lists]: all })
    // Each is a document of its own: one that is nonsense is not to take others along.
    const putList = (text: string): void => {
      isEmpty = false
      found.push({ text, within: (all) => withLists(all) })
    }
    rest = () =>
      isEmpty
        ? [{ ...members.read(), [lists]: [] }]
        : [...besideLists, ...besideOf(members.read(), false)]

    function listFrame(): Frame {
      const beside = createJsonMembers()
      const waiting: string[] = []
      let wasRead = false
      let hasValues = false
      isEmpty = false
      const withHead = () => {
        const told = beside.read()
        const heads = head in told ? { [head]: told[head] } : {}
        return (all: readonly unknown[]) => withLists([{ ...heads, [values]: all }])
      }
      return {
        closedBy: closeBrace,
        open: (bracket, before) => {
          if (bracket !== openBracket || memberName(before) !== values) return undefined
          wasRead = true
          beside.addName(values)
          const isTold = head in beside.read()
          const within = withHead()
          return arrayFrame((text) => {
            hasValues = true
            if (isTold) found.push({ text, within })
            else waiting.push(text)
          })
        },
        item: beside.add,
        close: (isWhole) => {
          if (wasRead) {
            const within = withHead()
            for (const text of waiting) found.push({ text, within })
            const { [head]: _, ...others } = beside.read()
            besideLists.push(...besideOf(others, !hasValues))
            isBroken ||= !beside.isSound()
          } else if (isWhole) {
            putList(`{${beside.unread().join(',')}}`)
          }
        },
      }
    }

    return {
      closedBy: closeBrace,
      open: (bracket, before) => {
        if (bracket !== openBracket || memberName(before) !== lists) return undefined
        whole = undefined
        members.addName(lists)
        return arrayFrame(putList, (inner, start) =>
          inner === openBrace && blank.test(start) ? listFrame() : undefined,
        )
      },
      item: members.add,
      close: () => {
        if (whole !== undefined) return
        members.read()
        isBroken ||= !members.isSound()
      },
    }
  }

  function beginItem(isFirstOne: boolean): void {
    isFresh = true
    isTaken = false
    isBracketed = false
    isFirst = isFirstOne
  }

  function endItem(text: string, isLast: boolean): void {
    held = []
    if (isTaken) isBroken ||= !blank.test(text)
    else if (!(isLast && isFirst && blank.test(text))) frames.at(-1)?.item(text)
  }

  /** Reads on from where the last piece ended; returns where the document does. */
  function readItems(piece: string, from: number): number {
    let start = from
    const textUpTo = (end: number): string => {
      const text = piece.slice(start, end)
      return held.length === 0 ? text : [...held, text].join('')
    }
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (code === backslash) isEscaped = true
        else if (code === quote) isText = false
        continue
      }
      if (code === quote) {
        isText = true
        continue
      }
      if (code === openBracket || code === openBrace) {
        const before = isFresh && depth === 0 ? textUpTo(at) : undefined
        const inner = before === undefined ? undefined : frames.at(-1)?.open(code, before)
        isFresh = false
        if (before !== undefined) isBracketed = blank.test(before)
        if (inner === undefined) {
          depth += 1
          continue
        }
        frames.push(inner)
        held = []
        start = at + 1
        beginItem(true)
      } else if (depth > 0) {
        if (code !== closeBracket && code !== closeBrace) continue
        depth -= 1
        if (depth > 0 || !isBracketed) continue
        // Whole before what follows it, which may take its time.
        frames.at(-1)?.item(textUpTo(at + 1))
        held = []
        start = at + 1
        isBracketed = false
        isTaken = true
      } else if (code === comma) {
        endItem(textUpTo(at), false)
        start = at + 1
        beginItem(false)
      } else if (code === closeBracket || code === closeBrace) {
        endItem(textUpTo(at), true)
        start = at + 1
        const frame = frames.pop()
        isBroken ||= code !== frame?.closedBy
        frame?.close(true)
        if (frames.length === 0) return start
        isTaken = true
        isFresh = false
      }
    }
    if (start < piece.length) {
      if (held.length === 0) heldLength = 0
      held.push(piece.slice(start))
      requireShort((heldLength += piece.length - start))
    }
    return piece.length
  }

  function requireShort(length: number): void {
    if (length > longest) throw new RangeError(`a value exceeds ${longest} characters`)
  }

  function begin(code: number): void {
    place = 'other'
    if (code === openBracket) frames.push(rootArray())
    else if (code === openBrace && nested !== undefined) frames.push(answerFrame(nested))
    else return
    place = 'inside'
    if (code === openBracket) whole = undefined
  }

  function taken(): readonly JsonElement[] {
    const elements = found
    found = []
    return elements
  }

  return {
    push: (piece) => {
      if (whole !== undefined) {
        whole.push(piece)
        requireShort((wholeLength += piece.length))
      }
      let at = 0
      if (place === 'before') {
        at = piece.search(/[^ \t\n\r]/)
        if (at === -1) return []
        begin(piece.charCodeAt(at))
        at += 1
      }
      if (place === 'inside') {
        at = readItems(piece, at)
        if (frames.length === 0) place = 'after'
      }
      if (place === 'after' && !blank.test(piece.slice(at))) isBroken = true
      return taken()
    },
    end: () => {
      if (whole !== undefined) return { elements: [], was: { is: 'other', text: whole.join('') } }
      const isWhole = frames.length === 0
      for (const frame of frames.reverse()) frame.close(false)
      const was: EndOfJson = isBroken || !isWhole ? { is: 'broken' } : { is: 'split', rest: rest() }
      return { elements: taken(), was }
    },
  }
}

function asArray(values: readonly unknown[]): unknown {
  return values
}

/** Nothing but what JSON takes for white space. */
const blank = /^[ \t\n\r]*$/

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** The members of an object that is read piece by piece. */
function createJsonMembers() {
  let texts: string[] = []
  const values = new Map<string, unknown>()
  const names = new Set<string>()
  let isSound = true

  /** Adds a member whose value is read by itself. */
  function addName(name: string): void {
    if (names.has(name)) isSound = false
    names.add(name)
  }

  return {
    /** Adds one as it is written, `"name": value`: it is looked at when they are read. */
    add: (text: string) => {
      texts.push(text)
    },
    addName,
    /** The texts that were added and not read yet. */
    unread: (): readonly string[] => texts,
    /** All that can be read; of two with one name the later. */
    read: (): Readonly<Record<string, unknown>> => {
      for (const text of texts) {
        const [member] = membersOf(text)
        if (member === undefined) {
          isSound = false
          continue
        }
        addName(member[0])
        values.set(...member)
      }
      texts = []
      return Object.fromEntries(values)
    },
    /** Whether what was read was JSON, and each name came once. */
    isSound: () => isSound,
  }
}

/** The name of the member that begins with this text, which ends where its value begins. */
function memberName(text: string): string | undefined {
  return membersOf(`${text}null`)[0]?.[0]
}

function membersOf(text: string): [string, unknown][] {
  const value = readJsonValue(`{${text}}`)
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** Whether a Content-Type announces one JSON text. */
export function isJsonType(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(contentType)
}

/** The texts of what was announced as one JSON text: some servers announce objects on lines of their own so. */
export function jsonTexts(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const [first = ''] = lines
  const areObjects = /^\s*\{/.test(first) && parsedJson(first) !== undefined
  return lines.length > 1 && areObjects ? lines : [text]
}

/**
 * A JSON text as its value, integers that no number holds as texts; undefined where it is no JSON, or a name comes
 * twice in one of its objects: nobody knows which one counts.
 */
export function readJsonValue(text: string): unknown {
  const value = parsedJson(text)
  const { members, isRounded } = contentOf(value)
  if (members !== writtenMembers(text)) return undefined
  return isRounded ? parseExactJson(text) : value
}

/**
 * How many members all objects of a value have, and whether an integer may have lost digits: few answers have one,
 * and to look at each number is much faster than to read all as texts. Not by recursion, however deep it is.
 */
function contentOf(value: unknown): { readonly members: number; readonly isRounded: boolean } {
  let members = 0
  let isRounded = false
  const waiting = [value]
  while (waiting.length > 0) {
    const part = waiting.pop()
    if (typeof part === 'number')
      isRounded ||= Number.isInteger(part) && !Number.isSafeInteger(part)
    if (typeof part !== 'object' || part === null) continue
    const parts: readonly unknown[] = Object.values(part)
    if (!Array.isArray(part)) members += parts.length
    // Most are texts, of which nothing is to be known.
    for (const inner of parts) if (typeof inner !== 'string') waiting.push(inner)
  }
  return { members, isRounded }
}
