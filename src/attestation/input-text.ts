import { mistake, warning, type Finding } from './finding.ts'
import { placeOfByte, placesOfText } from './place.ts'
import { byteOrderMark, decodeUtf8 } from './utf8.ts'
import { describeBytes } from './wrong-paste.ts'

export type InputText =
  | { readonly ok: true; readonly text: string; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly mistakes: readonly Finding[] }

/**
 * The text of what was pasted or dropped, without a byte order mark (which is told); offsets count
 * from behind it. UTF-16 with a mark is read too. What is no text is refused with its first wrong byte.
 */
export function inputText(input: string | Uint8Array): InputText {
  if (typeof input === 'string') {
    const hasMark = input.startsWith(byteOrderMark)
    return hasMark ? marked(input.slice(1), 'UTF-8') : { ok: true, text: input, findings: [] }
  }
  const utf16 = utf16Of(input)
  if (utf16 !== undefined) return marked(utf16, 'UTF-16')
  const decoded = decodeUtf8(input)
  if (decoded.ok) {
    return decoded.hadMark
      ? marked(decoded.text, 'UTF-8')
      : { ok: true, text: decoded.text, findings: [] }
  }
  const known = describeBytes(input)
  if (known) return { ok: false, mistakes: [known] }
  const at = placeOfByte('input', input, decoded.offset)
  const message = `This is no text: its byte ${decoded.offset} is not valid UTF-8. An attestation is JSON in UTF-8.`
  return { ok: false, mistakes: [mistake('not-utf8', message, at)] }
}

function marked(text: string, encoding: string): InputText {
  const message = `The text begins with a byte order mark (${encoding}), which was skipped.`
  return {
    ok: true,
    text,
    findings: [warning('byte-order-mark', message, placesOfText('input', '')(0))],
  }
}

function utf16Of(bytes: Uint8Array): string | undefined {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff
  if (!isLittle && !isBig) return undefined
  return new TextDecoder(isLittle ? 'utf-16le' : 'utf-16be').decode(bytes)
}
