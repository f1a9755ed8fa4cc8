import { decodeBase64 } from './base64.ts'
import { mistake, type Finding } from './finding.ts'
import { stringOf } from './json-tree.ts'
import { parseJsonTree } from './parse-json-tree.ts'
import { base64OfJson } from './strings-inside.ts'
import { decodeUtf8 } from './utf8.ts'
import { describeBytes, describeText } from './wrong-paste.ts'

/** What a text that is wrapped into something holds. */
export type Unwrapped =
  | { readonly kind: 'text'; readonly text: string; readonly by: 'base64' | 'layout' }
  | { readonly kind: 'nothing'; readonly mistake: Finding }

/**
 * The JSON within a JSON string, as `jq` prints a field that holds some, or within the fence of
 * Markdown, as it is copied from an issue; undefined where it is neither.
 */
export function unwrapLayout(text: string): Unwrapped | undefined {
  const bare = text.trim()
  const inner = bare.startsWith('"') ? ofString(bare) : ofFence(bare)
  const isJson = inner !== undefined && /^\s*[{[]/.test(inner)
  return isJson ? { kind: 'text', text: inner, by: 'layout' } : undefined
}

function ofString(text: string): string | undefined {
  const parsed = parseJsonTree(text)
  return parsed.ok ? stringOf(parsed.tree, 0) : undefined
}

function ofFence(text: string): string | undefined {
  const fence = ['```', '~~~'].find((mark) => text.startsWith(mark) && text.endsWith(mark))
  const from = text.indexOf('\n')
  return fence === undefined || from === -1 ? undefined : text.slice(from + 1, -fence.length)
}

/**
 * Decodes a text that is base64 of JSON (a payload copied on its own, an envelope from a header or a
 * secret). Base64 of something else is said to be that; undefined where it is no base64 at all.
 */
export function unwrap(text: string): Unwrapped | undefined {
  const bare = text.trim().replace(/^"([^"]*)"$/, '$1')
  const decoded = bare.length >= shortest ? decodeBase64(bare) : undefined
  if (decoded?.ok !== true) return undefined
  const inner = decodeUtf8(decoded.bytes)
  if (inner.ok && /^\s*[{[]/.test(inner.text))
    return { kind: 'text', text: inner.text, by: 'base64' }
  const known = inner.ok ? describeText(inner.text) : describeBytes(decoded.bytes)
  if (known?.code === 'private-key') return { kind: 'nothing', mistake: known }
  // Words of prose are base64 too, by their letters: say so only where that is likely.
  if (known === undefined && (/\s/.test(bare) || !inner.ok)) return undefined
  const says = known?.message ?? 'It is base64 of other text.'
  const message = `This is base64, but of no attestation. ${says}`
  return { kind: 'nothing', mistake: mistake('wrong-paste', message) }
}

/**
 * The texts of lines that are each base64 of JSON, as `jq -r .payload` prints several payloads;
 * undefined where it is one base64 over many lines, or anything else.
 */
export function unwrapLines(text: string): readonly string[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length < 2 || !lines.every((line) => base64OfJson.test(line.trim()))) return undefined
  const texts = lines.map((line) => unwrap(line))
  return texts.every((inner) => inner?.kind === 'text')
    ? texts.map(({ text: one }) => one)
    : undefined
}

const shortest = 12
