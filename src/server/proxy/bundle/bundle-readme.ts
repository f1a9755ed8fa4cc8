import { countOf } from '../../../protocol/count.ts'
import { packageTextAt } from '../../../protocol/package-reference.ts'
import type { BundleSubject } from './bundle-subject.ts'
import type { SigningKey } from './signing-key.ts'
import { runSentence, type SummaryResult } from './verification-summary.ts'

/** What the README of a bundle says beside its runs. */
export interface ReadmeContent extends SummaryResult {
  readonly subject: BundleSubject
  /** Address of the page, and of the decoder. */
  readonly page: string
  readonly decoder: string
  /** Epoch ms, and who made the bundle with which version. */
  readonly madeAt: number
  readonly madeBy: string
  readonly version: string
  readonly decision: string
  /** The files of attestations: what several addresses have alike is one. */
  readonly envelopes: number
  /** What is not in the bundle and why, a line each. */
  readonly gaps: readonly string[]
  readonly waivers: number
  readonly key: SigningKey | undefined
  readonly keyFile: string
}

/** The README of a bundle: what it is, what it says, and how to check it, in plain words. */
export function bundleReadme(content: ReadmeContent): string {
  const { subject, key, keyFile, gaps } = content
  const lines = [
    'EVIDENCE BUNDLE',
    '',
    `Subject:   ${line(subject.what)}`,
    `Verdict:   ${content.sentence}`,
    `Decision:  ${content.decision}`,
    `Page:      ${content.page}`,
    `Made:      ${iso(content.madeAt)} by ${line(content.madeBy)}, Sightline ${content.version}`,
    '',
    'All times are in UTC.',
    '',
    'WHAT IS MISSING, AND WHAT TO KNOW',
    '',
    ...(gaps.length === 0 ? ['Nothing is missing.'] : gaps.map((gap) => `- ${line(gap)}`)),
    '',
    'FILES',
    '',
    'SHA256SUMS               the SHA-256 of every other file',
    'summary.intoto.json      the verification summary, an in-toto statement in a DSSE envelope',
    'decision.json            who decided what, when and why',
    'runs/<id>.json           each run: who, when, on which artifact, verdict',
    'runs/<id>.results.ndjson its results as the policy service sent them, one to a line',
    `envelopes/               attestations that results refer to (${content.envelopes}), as fetched for this bundle`,
    'signatures.json          what is known of their signatures, signers and artifacts, by these keys',
    "                         alone: identities of certificates aren't checked, and gzip data and YAML",
    "                         aren't read. Sightline's decoder does both: drop the file on it.",
    `waivers.json             the waivers of these packages (${content.waivers})`,
    'keys/                    the public keys that count, from the configuration',
    '',
    'HOW TO CHECK IT',
    '',
    'That no file was changed:',
    '',
    '    sha256sum -c SHA256SUMS',
    '',
    ...(key === undefined
      ? [
          'The verification summary is not signed: no signing key is configured',
          '(SIGHTLINE_SIGNING_KEY). Anyone could have made this bundle.',
        ]
      : [
          `The verification summary is signed with the ${key.algorithm} key`,
          `sha256:${key.keyId},`,
          `whose public key is ${keyFile}. It covers the SHA-256 of every`,
          'file but itself and SHA256SUMS. Compare that key with the one you were given',
          'by another way: a bundle vouches for itself otherwise.',
          '',
          "With Sightline's decoder: open",
          `    ${content.decoder}`,
          `drop summary.intoto.json on it, and add ${keyFile}`,
          'to the trusted keys where it is not configured there.',
          '',
          'Without Sightline:',
          '',
          ...verifyCommands(key, keyFile),
        ]),
    '',
    'RUNS',
    '',
    ...subject.runs.flatMap((run) => [
      `${packageTextAt(run.packagePath)}, ${line(run.scan)}`,
      `    ${runSentence(run, subject.verdicts)}`,
      `    sha256:${line(run.sha256)}`,
      `    ${line(run.repositoryUrl)}`,
      `    ${iso(run.endedAt)} by ${line(run.by)}, run ${run.id}`,
    ]),
    ...subject.missing.map(
      ({ packagePath, scan }) =>
        `${packageTextAt(packagePath)}, ${line(scan)}\n    Never evaluated.`,
    ),
    '',
    `${countOf(subject.runs.length, 'run')}, ${subject.missing.length} never evaluated.`,
    '',
  ]
  return lines.join('\n')
}

/** Runs in any shell with Python 3 and OpenSSL: writes what was signed (DSSE v1 PAE), and checks it. */
function verifyCommands({ algorithm }: SigningKey, keyFile: string): readonly string[] {
  const check =
    algorithm === 'Ed25519'
      ? `openssl pkeyutl -verify -pubin -inkey ${keyFile} -rawin -in summary.pae -sigfile summary.sig`
      : `openssl dgst -sha256 -verify ${keyFile} -signature summary.sig summary.pae`
  return [
    `    python3 -c '`,
    'import json, base64',
    'envelope = json.load(open("summary.intoto.json"))',
    'kind, body = envelope["payloadType"].encode(), base64.b64decode(envelope["payload"])',
    'open("summary.pae", "wb").write(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body))',
    'open("summary.sig", "wb").write(base64.b64decode(envelope["signatures"][0]["sig"]))',
    `'`,
    `    ${check}`,
  ]
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

/** What others wrote, kept on its line and without what moves the cursor of a terminal. */
function line(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
}
