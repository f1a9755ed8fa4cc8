import { decodeBase64 } from './base64.ts'
import type { EnvelopeSignature } from './envelope.ts'
import { type Finding, mistake, warning } from './finding.ts'
import {
  anyProperty,
  childrenOf,
  countOf,
  kindOf,
  noNode,
  property,
  sourceOf,
  stringOf,
  textAt,
  textsIn,
} from './json-tree.ts'
import {
  base64Findings,
  extraFields,
  findDuplicate,
  placeInText,
  placeOf,
  type Source,
} from './source.ts'
import { hasUnseen, inQuotes } from './visible-text.ts'

type SignaturesReading =
  | {
      readonly ok: true
      readonly signatures: readonly EnvelopeSignature[]
      readonly findings: readonly Finding[]
    }
  | { readonly ok: false; readonly mistake: Finding }

/**
 * Reads the `signatures` of an envelope: a list, required even where it is empty (DSSE v1.0.2). Where
 * it is missing the envelope is unsigned. All are read; findings are reported for the first twenty.
 */
export function readSignatures(source: Source, envelope: number, node: number): SignaturesReading {
  const { tree } = source
  if (node === noNode) {
    const message =
      'The envelope isn\'t signed: it has no "signatures", so anyone may have written it.'
    const findings = [warning('signatures-missing', message, placeOf(source, envelope))]
    return { ok: true, signatures: [], findings }
  }
  if (kindOf(tree, node) !== 'array') {
    const message = 'The envelope\'s "signatures" isn\'t a list.'
    return { ok: false, mistake: mistake('signatures-not-list', message, placeOf(source, node)) }
  }
  const signatures: EnvelopeSignature[] = []
  const findings = countFindings(source, node)
  for (const child of childrenOf(tree, node)) {
    const read = readSignature(source, child, signatures.length)
    if (signatures.length < mostReported) findings.push(...read.findings)
    signatures.push(read.signature)
  }
  return { ok: true, signatures, findings }
}

const mostReported = 20
const manySignatures = 50

function countFindings(source: Source, node: number): Finding[] {
  const count = countOf(source.tree, node)
  if (count === 0) {
    const message = "The envelope isn't signed: its list of signatures is empty."
    return [warning('unsigned', message, placeOf(source, node))]
  }
  if (count <= manySignatures) return []
  const message = `The envelope has ${count} signatures. One to three are usual.`
  return [warning('many-signatures', message, placeOf(source, node))]
}

export interface SignatureReading {
  readonly signature: EnvelopeSignature
  readonly findings: readonly Finding[]
}

/** Reads one signature. Never refuses: where there are no bytes to judge, `mistake` and a finding say why. */
function readSignature(source: Source, node: number, index: number): SignatureReading {
  const { tree } = source
  const name = `Signature ${index + 1}`
  const duplicate = findDuplicate(source, node, ['sig', 'keyid', 'cert', 'certificate'])
  const sig = property(tree, node, 'sig')
  const refusal =
    kindOf(tree, node) === 'object'
      ? duplicate
      : mistake('signature-not-object', `${name} isn't an object.`, placeOf(source, node))
  const value = refusal
    ? {
        sig: undefined,
        sigText: shortSource(source, refusal === duplicate ? sig : node),
        findings: [refusal],
        mistake: refusal.message,
      }
    : readValue(source, node, sig, name)
  const keyid = readKeyid(source, property(tree, node, 'keyid'), name)
  const extension = property(tree, node, 'extension')
  const certificate =
    stringOf(tree, anyProperty(tree, node, 'cert', 'certificate')) ??
    textAt(tree, extension, 'ext', 'certificate', 'rawBytes')
  const extra = extraFields(source, node, name.toLowerCase(), knownFields)
  return {
    signature: {
      index,
      keyid: keyid.text,
      sig: value.sig,
      sigText: value.sigText,
      mistake: value.mistake,
      certificate: certificate === undefined ? undefined : unwrappedPem(certificate),
      intermediates: textsIn(tree, property(tree, node, 'intermediates')).map(unwrappedPem),
      extensionKind: textAt(tree, extension, 'kind'),
      extraFields: extra.names,
    },
    findings: [...value.findings, ...keyid.findings, ...extra.findings],
  }
}

/** A signature that is its base64 alone (PEP 740), at a node that should be text in the object `owner`. */
export function readBareSignature(source: Source, owner: number, node: number): SignatureReading {
  const value = readValue(source, owner, node, 'The signature')
  return {
    signature: {
      index: 0,
      keyid: undefined,
      sig: value.sig,
      sigText: value.sigText,
      mistake: value.mistake,
      certificate: undefined,
      intermediates: [],
      extensionKind: undefined,
      extraFields: [],
    },
    findings: value.findings,
  }
}

const knownFields: ReadonlySet<string> = new Set(
  'keyid sig cert certificate intermediates timestamps extension'.split(' '),
)

interface Value {
  readonly sig: Uint8Array | undefined
  readonly sigText: string
  readonly mistake: string | undefined
  readonly findings: readonly Finding[]
}

function readValue(source: Source, owner: number, node: number, name: string): Value {
  const { tree } = source
  const at = placeOf(source, node === noNode ? owner : node)
  const text = stringOf(tree, node)
  if (text === undefined && node !== noNode && kindOf(tree, node) !== 'null') {
    const message = `${name} isn't text, so it can't be read.`
    const findings = [mistake('signature-not-base64', message, at)]
    return { sig: undefined, sigText: shortSource(source, node), mistake: message, findings }
  }
  if (text === undefined || text === '') {
    const message = `${name} has no value, so there is nothing to check.`
    const findings = [warning('signature-without-value', message, at)]
    return { sig: undefined, sigText: '', mistake: message, findings }
  }
  const decoded = decodeBase64(text)
  if (!decoded.ok) {
    const wrong = placeInText(source, node, decoded.offset)
    const message = `${name} isn't base64: at character ${decoded.offset} ${decoded.problem}.`
    const findings = [mistake('signature-not-base64', message, wrong)]
    return { sig: undefined, sigText: text, mistake: message, findings }
  }
  const findings = [
    ...base64Findings('signature-base64-unusual', name, decoded.quirks, at),
    ...disguises(name, text, decoded.bytes, at),
  ]
  return { sig: decoded.bytes, sigText: text, mistake: undefined, findings }
}

/** Enough to see that something is there, though nothing that could be read. */
function shortSource({ tree }: Source, node: number): string {
  return sourceOf(tree, node).slice(0, 200)
}

/** Hexadecimal and doubled base64 both decode as base64, to something that is no signature. */
function disguises(name: string, text: string, bytes: Uint8Array, at: Finding['at']): Finding[] {
  if (text.length >= 96 && text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text)) {
    const message = `${name} looks like hexadecimal instead of base64.`
    return [warning('signature-looks-hexadecimal', message, at)]
  }
  if (bytes.length < 64 || bytes.length > longestSignature) return []
  const inner = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  const again = /^[A-Za-z0-9+/_-]+={0,2}\s*$/.test(inner) ? decodeBase64(inner) : undefined
  if (again?.ok !== true || again.bytes[0] !== derSequence) return []
  const message = `${name} is base64-encoded twice. Decoded again, it looks like a signature.`
  return [warning('signature-twice-base64', message, at)]
}

const longestSignature = 20_000
const derSequence = 0x30

function readKeyid(source: Source, node: number, name: string) {
  const { tree } = source
  const text = stringOf(tree, node)
  const findings: Finding[] = []
  if (node !== noNode && text === undefined && kindOf(tree, node) !== 'null') {
    const message = `The key id of ${name.toLowerCase()} isn't text and was ignored.`
    findings.push(warning('keyid-unusual', message, placeOf(source, node)))
  } else if (text !== undefined && (text.length > longestKeyid || hasUnseen(text))) {
    const message = `The key id of ${name.toLowerCase()} is unusual: ${inQuotes(text)}.`
    findings.push(warning('keyid-unusual', message, placeOf(source, node)))
  }
  return { text: text === '' ? undefined : text, findings }
}

const longestKeyid = 1_000

/** Go programs write a PEM certificate as base64 of its text; then the text itself is meant. */
function unwrappedPem(certificate: string): string {
  // Base64 of "-----BEGIN".
  if (!certificate.startsWith('LS0tLS1CRUdJTi')) return certificate
  const decoded = decodeBase64(certificate)
  return decoded.ok ? new TextDecoder().decode(decoded.bytes) : certificate
}
