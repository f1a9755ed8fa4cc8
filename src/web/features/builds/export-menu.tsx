import { Button, Group, Loader, SegmentedControl, Stack, Text } from '@mantine/core'
import { type ReactElement, useEffect, useState } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { type BuildExport, mostExported } from '../../data/builds/build-export.ts'
import { isFilteredHere } from '../../data/builds/build-list-reader.ts'
import type { FoundBuild } from '../../data/builds/build-pages.ts'
import { useBuildServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import type { ShownColumn } from '../../domain/build-table/build-columns.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useAskBeforeLeaving } from '../../ui/drafts.ts'
import { download, type FileSink, openFileSink } from '../../ui/download.ts'
import { durationText } from '../../ui/format.ts'
import { MenuPopover } from '../../ui/menu-popover.tsx'
import { Notice } from '../../ui/notice.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'
import { useDerivedFromNow, useTicker } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.ts'
import {
  exportFileName,
  type ExportForm,
  exportForms,
  type ExportRows,
  exportRows,
} from './export-rows.ts'
import { type SearchPage, searchRequest, useServerNow } from './use-search-page.ts'

/** Takes along what was found, with the columns shown: what is loaded, or all that matches. */
export function ExportMenu({
  page,
  builds,
  columns,
  isComplete,
}: {
  page: SearchPage
  builds: readonly Facts[]
  columns: readonly ShownColumn[]
  isComplete: boolean
}): ReactElement {
  const [running, start, end] = useExport(page, columns)
  const [form, setForm] = useState<ExportForm>('csv')
  const [isWriting, setWriting] = useState(false)
  const nameOf = useFileName(page)
  const saveLoaded = async (): Promise<void> => {
    setWriting(true)
    const unsure = unsureIds(page.search.getSnapshot().found)
    const isUnsure = (buildId: string): boolean => unsure.has(buildId)
    const rows = exportRows(form, namesOf(columns), isMarked(page) ? isUnsure : undefined)
    download(await exportLoaded(rows, builds, pause), nameOf(form))
    setWriting(false)
    const open = builds.filter(({ buildId }) => isUnsure(buildId)).length
    await toast(doneText(builds.length, open, nameOf(form)))
  }
  if (running !== undefined) return <Running {...running} onEnd={end} />
  return (
    <MenuPopover
      label={isWriting ? 'Exporting…' : 'Export'}
      width={340}
      isDisabled={isWriting || page.isFaulty || (builds.length === 0 && isComplete)}
    >
      {(close) => (
        <Stack gap={8}>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label="Format"
            value={form}
            onChange={setForm}
            data={exportForms.map(({ form: value, name: label }) => ({ value, label }))}
          />
          <Text fz="xs" c="dimmed">
            {`${exportForms.find((one) => one.form === form)?.use ?? ''}, with the columns shown.`.replace(
              /^./,
              (first) => first.toUpperCase(),
            )}
          </Text>
          {!isComplete && (
            <>
              <Text fz="xs">
                {`${countOf(builds.length, 'build')} loaded. “Export all matches” fetches up to ${countText(mostExported)}.`}
              </Text>
              <Button
                onClick={() => {
                  close()
                  void start(form)
                }}
              >
                Export all matches
              </Button>
            </>
          )}
          <Button
            variant={isComplete ? 'filled' : 'default'}
            disabled={builds.length === 0}
            onClick={() => {
              close()
              void saveLoaded()
            }}
          >
            {isComplete
              ? `Export ${countOf(builds.length, 'build')}`
              : `Export the ${countText(builds.length)} loaded`}
          </Button>
        </Stack>
      )}
    </MenuPopover>
  )
}

interface RunningExport {
  readonly exported: BuildExport
  readonly fileName: string
}

/** The export of all matches that is under way; leaving the page cancels it. */
function useExport(
  page: SearchPage,
  columns: readonly ShownColumn[],
): readonly [
  RunningExport | undefined,
  start: (form: ExportForm) => Promise<void>,
  end: () => void,
] {
  const { searches } = useBuildServices()
  const [running, setRunning] = useState<RunningExport>()
  const serverNow = useServerNow()
  const nameOf = useFileName(page)
  const start = async (form: ExportForm): Promise<void> => {
    const fileName = nameOf(form)
    let unsure: ReadonlySet<string> = new Set()
    const isUnsure = (buildId: string): boolean => unsure.has(buildId)
    const rows = exportRows(form, namesOf(columns), isMarked(page) ? isUnsure : undefined)
    const sink = await openFileSink(fileName, rows.mediaType)
    if (sink === undefined) return
    const { query, apiText, timeZone } = page
    const request = searchRequest(query, apiText, { now: serverNow, timeZone })
    const onPage = (found: readonly FoundBuild[]): void => {
      unsure = unsureIds(found)
    }
    setRunning({ exported: searches.export(request, fileOf(sink, rows, onPage)), fileName })
  }
  useEffect(() => {
    if (running === undefined) return undefined
    const { exported } = running
    return () => {
      const { state, written } = exported.getSnapshot()
      if (state.is === 'done' || state.is === 'cancelled') return
      exported.cancel()
      void toast(`Export canceled after ${countOf(written, 'build')}, as you left its page.`)
    }
  }, [running])
  return [
    running,
    start,
    () => {
      setRunning(undefined)
    },
  ]
}

/** Whether builds are filtered here, so that of some it isn't known whether they match. */
function isMarked({ query, search }: SearchPage): boolean {
  return query.root !== undefined && isFilteredHere(search.getSnapshot())
}

function unsureIds(found: readonly FoundBuild[]): ReadonlySet<string> {
  return new Set(
    found.flatMap(({ facts, verdict }) => (verdict === 'unknown' ? facts.buildId : [])),
  )
}

function fileOf(
  sink: FileSink,
  { head, rows, foot }: ExportRows,
  onPage: (found: readonly FoundBuild[]) => void,
) {
  let isFirst = true
  return {
    write: async (found: readonly FoundBuild[]) => {
      onPage(found)
      const builds = found.map(({ facts }) => facts)
      if (isFirst) await sink.write(head)
      await sink.write(rows(builds, isFirst))
      isFirst = false
    },
    close: async () => {
      await sink.write(isFirst ? head + foot : foot)
      await sink.close()
    },
    discard: () => sink.abort(),
  }
}

/** How far an export has come, in place of the button that began it. */
function Running({
  exported,
  fileName,
  onEnd,
}: RunningExport & { onEnd: () => void }): ReactElement {
  const { state, written, unsure } = useStore(exported)
  const soFar = `${countText(written)} so far`
  useAskBeforeLeaving(state.is !== 'done' && state.is !== 'cancelled')
  switch (state.is) {
    case 'reading':
    case 'waiting':
      return (
        <Group gap={8} role="status" aria-label="Export" fz="xs">
          <Loader size={10} />
          {/* What counts is not read out. */}
          <span aria-hidden="true" style={{ fontVariantNumeric: 'tabular-nums' }}>
            {state.is === 'reading' ? `Exporting: ${soFar}` : <Waiting {...state} soFar={soFar} />}
          </span>
          <VisuallyHidden>
            {state.is === 'reading' ? 'Exporting' : waitingText(state)}
          </VisuallyHidden>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              exported.cancel()
              onEnd()
            }}
          >
            Cancel export
          </Button>
        </Group>
      )
    case 'failed':
      return (
        <Notice
          tone="bad"
          role="alert"
          action={
            <Group gap={4} wrap="nowrap">
              {state.canResume && (
                <Button size="compact-xs" variant="default" onClick={exported.resume}>
                  Continue
                </Button>
              )}
              <Button
                size="compact-xs"
                variant="subtle"
                onClick={() => {
                  exported.cancel()
                  onEnd()
                }}
              >
                Discard
              </Button>
            </Group>
          }
        >
          {`Export stopped, ${soFar}. ${state.problem.message}`}
        </Notice>
      )
    case 'cancelled':
    case 'done':
      return (
        <Notice
          tone={state.is === 'done' && state.note === undefined ? 'good' : 'waiting'}
          role="status"
          action={
            <Button size="compact-xs" variant="default" onClick={onEnd}>
              Close
            </Button>
          }
        >
          {state.is === 'cancelled' ? 'Export canceled.' : doneText(written, unsure, fileName)}
          {state.is === 'done' && state.note !== undefined && ` ${state.note}`}
        </Notice>
      )
  }
}

/** What stands in the file. */
export function doneText(written: number, unsure: number, fileName: string): string {
  const open =
    unsure === 0
      ? ''
      : ` ${countText(unsure)} of them may or may not match: the details are missing.`
  return `${countOf(written, 'build')} exported to ${fileName}.${open}`
}

/** Why an export waits: the build server is busy, or else the first sentence of what happened, as it is retried by itself. */
export function waitingText({ isBusy, reason }: { isBusy: boolean; reason: string }): string {
  return isBusy ? 'The build server is busy.' : (/^.*?[.!?…](?= |$)/s.exec(reason)?.[0] ?? reason)
}

function Waiting({
  until,
  reason,
  isBusy,
  soFar,
}: {
  until: number
  reason: string
  isBusy: boolean
  soFar: string
}): ReactElement {
  const left = useDerivedFromNow((now) => durationText(Math.max(0, until - now)))
  return (
    <span
      title={reason}
    >{`${soFar}. ${waitingText({ isBusy, reason })} Retrying in ${left}.`}</span>
  )
}

/** What a file of the present query is called today. */
function useFileName({ query }: SearchPage): (form: ExportForm) => string {
  const { zone } = usePreferences()
  const ticker = useTicker()
  return (form) => {
    const now = new Date(ticker.now())
    const shift = zone === 'utc' ? 0 : now.getTimezoneOffset() * 60_000
    const day = new Date(now.getTime() - shift).toISOString().slice(0, 10)
    return exportFileName(query.text, day, form)
  }
}

function namesOf(columns: readonly ShownColumn[]): readonly string[] {
  return columns.map(({ name }) => name)
}

/** Lets the browser draw and listen before the work goes on. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}

/** Builds written at once: a few milliseconds' work. */
const chunk = 2000

/**
 * Builds that are here as a file. `pause` is waited for every 2,000 builds, so that the page goes on
 * living whatever their number.
 */
export async function exportLoaded(
  { mediaType, head, rows, foot }: ExportRows,
  builds: readonly Facts[],
  pause: () => Promise<void>,
): Promise<Blob> {
  const parts = [head]
  for (let from = 0; from < builds.length; from += chunk) {
    parts.push(rows(builds.slice(from, from + chunk), from === 0))
    await pause()
  }
  return new Blob([...parts, foot], { type: mediaType })
}
