import { type Document, isMap, isNode, isPair, isScalar, LineCounter, parseDocument } from 'yaml'

/** A text in YAML: what it says, and where. Lines are counted from 1. */
export interface YamlText {
  /** Undefined where there are mistakes. */
  readonly value: unknown
  readonly mistakes: readonly { readonly line: number; readonly message: string }[]
  /** The line of what lies at a path of keys and indexes, or of what is nearest around it. */
  readonly lineOf: (path: readonly (string | number)[]) => number
}

/** Reads YAML 1.2; never throws. */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const mistakes = document.errors.map(({ pos, message }) => ({
    line: lineAt(pos[0]),
    message: `This is not YAML. ${message}.`,
  }))
  const lineOf = (path: readonly (string | number)[]): number => lineAt(offsetOf(document, path))
  if (mistakes.length > 0) return { value: undefined, mistakes, lineOf }
  try {
    return { value: document.toJS(), mistakes, lineOf }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return {
      value: undefined,
      mistakes: [{ line: 1, message: `This is not YAML. ${message}.` }],
      lineOf,
    }
  }
}

/** A key stands for its value: a mistake in an entry is looked for where its name is. */
function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const around =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const step = path[length - 1]
    if (isMap(around)) {
      const pair = around.items.find(({ key }) => isScalar(key) && key.value === step)
      if (isPair(pair) && isNode(pair.key)) return pair.key.range?.[0] ?? 0
    }
    const found = document.getIn(path.slice(0, length), true)
    if (isNode(found)) return found.range?.[0] ?? 0
  }
  return 0
}
