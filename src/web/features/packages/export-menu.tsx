import { Button } from '@mantine/core'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { csvPieces, jsonPieces, markdownPieces } from '../../../policy/exports.ts'
import { junitPieces } from '../../../policy/export-junit.ts'
import { sarifPieces } from '../../../policy/export-sarif.ts'
import type { ScanReport } from '../../../policy/scan-report.ts'
import type { ScanVerdict } from '../../../policy/verdict.ts'
import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { countOf } from '../../../protocol/count.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { decidedText } from '../../../policy/decision.ts'
import { useServices } from '../../data/core/services.ts'
import { useDecisions } from '../../data/release/decisions.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { runLink } from '../../domain/package/package-links.ts'
import { download } from '../../ui/download.ts'
import { ExportChoices } from '../../ui/export-choices.tsx'
import { bytesText } from '../../ui/format.ts'
import { VisuallyHidden } from '../../ui/text.tsx'

/** A report that takes long to write. */
interface Writing {
  readonly form: ExportForm
  readonly bytes: number
  readonly cancel: () => void
}

/** Takes the whole report along, whatever is filtered; undefined where there is none yet. */
export function ExportMenu({ report }: { report: ScanReport | undefined }): ReactElement {
  const { clock } = useServices()
  const [writing, setWriting] = useState<Writing>()
  const running = useRef<AbortController>(undefined)
  // Whoever has left the page wants no file of it any more.
  useEffect(
    () => () => {
      running.current?.abort()
    },
    [],
  )

  async function take(whole: ScanReport, form: ExportForm): Promise<void> {
    running.current?.abort()
    const cancelling = new AbortController()
    running.current = cancelling
    const cancel = (): void => {
      cancelling.abort()
    }
    try {
      const file = await writeInPieces(form.write(whole), {
        type: form.type,
        clock,
        signal: cancelling.signal,
        onProgress: (bytes) => {
          setWriting({ form, bytes, cancel })
        },
      })
      if (file !== undefined) download(file, exportFileName(whole, form.ending))
    } finally {
      if (running.current === cancelling) setWriting(undefined)
    }
  }

  return (
    <>
      <ExportChoices
        forms={exportForms}
        content="All policies, including those that filters hide"
        isDisabled={report === undefined}
        onChoose={(form) => {
          if (report !== undefined) void take(report, form)
        }}
      />
      {writing !== undefined && (
        <Button variant="default" onClick={writing.cancel}>
          Cancel export: {bytesText(writing.bytes)} so far
        </Button>
      )}
      <span role="status">
        {writing !== undefined && <VisuallyHidden>Writing {writing.form.name}</VisuallyHidden>}
      </span>
    </>
  )
}

/**
 * What an export holds of an evaluation that ended; undefined before, or where nothing arrived. `beside`
 * counts waivers, where they are known; `by` is who evaluated it, `decision` what was decided, `asOf`
 * what is known of a later day.
 */
export function reportOf(
  { address, scan, sha256, repositoryUrl }: PolicyScanQuestion,
  view: PolicyScanView,
  {
    verdict,
    beside,
    by,
    decision,
    asOf,
    overruling,
  }: {
    readonly verdict: ScanVerdict
    readonly beside: WaivedVerdict | undefined
    readonly by: string | undefined
    readonly decision: string | undefined
    readonly asOf?: string | undefined
    /** What a newer run says against it: a sentence. */
    readonly overruling: string | undefined
  },
): ScanReport | undefined {
  const { groups, endedAt, record: id } = view
  if (endedAt === undefined || view.state.is === 'refused') return undefined
  return {
    scan,
    purl: packageText(address),
    sha256,
    repositoryUrl,
    evaluatedAt: endedAt,
    verdict,
    beside,
    groups,
    caveats: [...(overruling === undefined ? [] : [overruling]), ...caveatsOf(view)],
    decision,
    asOf,
    record:
      id === undefined
        ? undefined
        : { id, address: `${location.origin}${runLink(address, scan, id)}`, by },
  }
}

/** The newest decision on a scan, in words with its time; undefined without one. */
export function useDecisionText({
  address,
  scan,
  sha256,
  repositoryUrl,
}: PolicyScanQuestion): string | undefined {
  const subject = {
    is: 'scan',
    packagePath: packagePath(address),
    sha256,
    repositoryUrl,
    scan,
  } as const
  const newest = useDecisions(subject).data?.[0]
  return newest && decidedText(newest, `${packageText(address)} (${scan})`)
}

/** What keeps an evaluation from being whole: sentences for people. */
export function caveatsOf({
  state,
  results,
  unreadable,
  notStored,
}: PolicyScanView): readonly string[] {
  return [
    ...(state.is === 'broken'
      ? [
          `Incomplete response after ${countOf(results, 'result')}: ${state.problem.sentence} The missing results may include failures.`,
        ]
      : []),
    ...(state.is === 'cancelled'
      ? [`Canceled after ${countOf(results, 'result')}. Others may be missing.`]
      : []),
    ...(unreadable > 0
      ? [
          `${countOf(unreadable, 'part')} of the response couldn't be read as results, so none of it counts as passed.`,
        ]
      : []),
    ...(notStored === undefined ? [] : [notStored]),
  ]
}

/** A form in which a report can be taken along. */
interface ExportForm {
  readonly name: string
  readonly use: string
  readonly ending: string
  readonly type: string
  /** Its text in pieces, each of which is short work. */
  readonly write: (report: ScanReport) => Iterable<string>
}

/** All of them, the most used first. */
const exportForms: readonly ExportForm[] = [
  {
    name: 'Markdown',
    use: 'for a ticket',
    ending: 'md',
    type: 'text/markdown;charset=utf-8',
    write: markdownPieces,
  },
  {
    name: 'CSV',
    use: 'for spreadsheets',
    ending: 'csv',
    type: 'text/csv;charset=utf-8',
    write: markedCsv,
  },
  {
    name: 'SARIF 2.1.0',
    use: 'for code scanning',
    ending: 'sarif',
    type: 'application/sarif+json',
    write: sarifPieces,
  },
  {
    name: 'JUnit XML',
    use: 'for CI servers',
    ending: 'xml',
    type: 'application/xml',
    write: junitPieces,
  },
  {
    name: 'JSON',
    use: 'for programs, with all details',
    ending: 'json',
    type: 'application/json',
    write: jsonPieces,
  },
]

/** What its file is called: letters, digits and marks that every file system takes. */
function exportFileName({ purl, scan }: ScanReport, ending: string): string {
  const name = `policy-scan-${scan}-${purl.replace(/^pkg:/, '')}`
  return `${name.replace(/[^\w.-]+/g, '-').slice(0, 120)}.${ending}`
}

/** Spreadsheets take it for the encoding of their region, unless it begins with this mark. */
function* markedCsv(report: ScanReport): Generator<string, void, undefined> {
  yield '\uFEFF'
  yield* csvPieces(report)
}

/** After so much work in one go, ms, the browser gets to draw. */
const timeSliceMs = 12
/** A text for a moment need not be shown that it is being written, ms. */
const reportEveryMs = 200
/** So many characters are handed to the browser together, which keeps them outside of the page. */
const charsTogether = 1_000_000

/** How a long text is written. */
export interface WritingOptions {
  readonly type: string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Told now and then how many bytes there are, of a text that takes long. */
  readonly onProgress: (bytes: number) => void
}

/**
 * A text of many pieces as a file, in goes so short that the page stays usable. Undefined where it was
 * cancelled.
 */
export async function writeInPieces(
  pieces: Iterable<string>,
  { type, clock, signal, onProgress }: WritingOptions,
): Promise<Blob | undefined> {
  const written: Blob[] = []
  let held: string[] = []
  let heldChars = 0
  let bytes = 0
  let since = clock.now()
  let reportedAt = since
  for (const piece of pieces) {
    held.push(piece)
    heldChars += piece.length
    if (heldChars >= charsTogether) {
      const part = new Blob(held)
      written.push(part)
      bytes += part.size
      held = []
      heldChars = 0
    }
    if (clock.now() - since < timeSliceMs) continue
    if (clock.now() - reportedAt >= reportEveryMs) {
      onProgress(bytes)
      reportedAt = clock.now()
    }
    await wait(clock, 0, signal)
    if (signal.aborted) return undefined
    since = clock.now()
  }
  return new Blob([...written, ...held], { type })
}
