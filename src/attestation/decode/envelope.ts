/** A DSSE envelope as it was found, in whatever form. Plain data, for threads to post; nothing of it is verified. */
export interface Envelope {
  /** The layout it was read from. */
  readonly source: 'envelope' | 'bundle' | 'pep740'
  readonly payloadType: string
  /** The exact bytes that were signed over (empty where `unverifiable` says why there are none). */
  readonly payload: Uint8Array
  readonly signatures: readonly EnvelopeSignature[]
  /** Certificates of the bundle: base64 DER (or PEM, where someone wrote PEM), leaf first. */
  readonly certificates: readonly string[]
  /** The bundle's media type, as written. */
  readonly mediaType: string | undefined
  /** Free text by which the bundle names its key; never a proof. */
  readonly publicKeyHint: string | undefined
  /** A public key inside the bundle itself: base64 DER of its SubjectPublicKeyInfo. */
  readonly publicKey: string | undefined
  readonly logEntries: readonly LogEntry[]
  /** RFC 3161 timestamps of the bundle: base64 DER. */
  readonly timestamps: readonly string[]
  /**
   * Why no signature can be judged at all, as a sentence (the payload is an object, so the signed
   * bytes are not here). Nothing may be called verified or mismatching where this is set.
   */
  readonly unverifiable: string | undefined
  /** Names of unknown fields; they are allowed and ignored (DSSE v1.0.2). */
  readonly extraFields: readonly string[]
}

export interface EnvelopeSignature {
  readonly index: number
  /** As written; a missing one, null and "" all read as undefined (DSSE: unset equals empty). */
  readonly keyid: string | undefined
  /** The decoded bytes, or undefined where `mistake` says why there are none. */
  readonly sig: Uint8Array | undefined
  /** The base64 as written, "" where there was none. */
  readonly sigText: string
  /** Why there are no bytes to judge, as a sentence. */
  readonly mistake: string | undefined
  /** A certificate inside the signature object or its extension: PEM, or base64 DER. */
  readonly certificate: string | undefined
  /** Intermediates beside that certificate, in the order written. */
  readonly intermediates: readonly string[]
  /** The `kind` of a DSSE extension (`extension: {kind, ext}`). */
  readonly extensionKind: string | undefined
  readonly extraFields: readonly string[]
}

/** One transparency log entry of a bundle, its numbers as written. Not checked against any log. */
export interface LogEntry {
  readonly logIndex: string
  readonly logId: string
  readonly kind: string
  readonly version: string
  /** Seconds since 1970 as written, or undefined. */
  readonly integratedTime: string | undefined
  /** Base64 of the entry's body as written, or "". */
  readonly canonicalizedBody: string
  /** The signed entry timestamp, in base64. */
  readonly promise?: string | undefined
  readonly proof?: InclusionProof | undefined
}

/** That a log entry is in the log's tree: numbers as written, hashes in base64. */
export interface InclusionProof {
  readonly logIndex: string
  readonly treeSize: string
  readonly rootHash: string
  readonly hashes: readonly string[]
  /** The signed note of the log about its tree; without one nobody vouches for the root hash. */
  readonly checkpoint: string | undefined
}
