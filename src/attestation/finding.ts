import type { Place } from './place.ts'

/** Something wrong or noteworthy in what was given to decode: a person's mistake, said plainly. */
export interface Finding {
  /** A mistake keeps something from being read; a warning and a note do not. */
  readonly level: 'mistake' | 'warning' | 'note'
  readonly code: FindingCode
  /** What is wrong, where and what it means, in one or two sentences; never quotes a secret. */
  readonly message: string
  readonly at: Place | undefined
}

export type FindingCode =
  // The input as a whole
  | 'empty'
  | 'byte-order-mark'
  | 'leading-blanks'
  | 'not-utf8'
  | 'not-json'
  | 'cut'
  | 'trailing-text'
  | 'wrong-paste'
  | 'private-key'
  | 'no-envelope'
  | 'wrapped-in-base64'
  | 'wrapped-in-text'
  | 'found-inside'
  | 'no-signature-possible'
  | 'bad-line'
  | 'bad-item'
  | 'problem-answer'
  | 'too-many-items'
  // The envelope
  | 'duplicate-field'
  | 'payload-type-missing'
  | 'payload-type-unusual'
  | 'envelope-snake-case'
  | 'payload-missing'
  | 'payload-not-text'
  | 'payload-is-object'
  | 'payload-not-base64'
  | 'payload-base64-unusual'
  | 'signatures-missing'
  | 'signatures-not-list'
  | 'unsigned'
  | 'many-signatures'
  | 'signature-without-value'
  | 'signature-not-base64'
  | 'signature-base64-unusual'
  | 'signature-looks-hexadecimal'
  | 'signature-twice-base64'
  | 'keyid-unusual'
  | 'extra-fields'
  | 'bundle-two-contents'
  | 'bundle-several-signers'
  | 'bundle-signature-count'
  | 'bundle-without-certificate'
  // The payload and its statement
  | 'payload-empty'
  | 'payload-not-utf8'
  | 'payload-not-json'
  | 'payload-byte-order-mark'
  | 'payload-duplicate-key'
  | 'payload-special-key'
  | 'payload-very-deep'
  | 'not-a-statement'
  | 'statement-type-unknown'
  | 'statement-snake-case'
  | 'predicate-type-missing'
  | 'predicate-type-unknown'
  | 'predicate-missing'
  | 'subject-missing'
  | 'subject-malformed'
  | 'subject-repeated'
  | 'digest-missing'
  | 'digest-unusual'

/** Something that keeps what was given from being read. */
export function mistake(code: FindingCode, message: string, at?: Place): Finding {
  return { level: 'mistake', code, message, at }
}

/** Something a reader must know before believing what is shown. */
export function warning(code: FindingCode, message: string, at?: Place): Finding {
  return { level: 'warning', code, message, at }
}

/** Something unusual and harmless. */
export function note(code: FindingCode, message: string, at?: Place): Finding {
  return { level: 'note', code, message, at }
}
