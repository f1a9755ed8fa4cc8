import { Button, Popover, Text } from '@mantine/core'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import type { ScanReport } from '../../../policy/scan-report.ts'
import { bytesText } from '../../ui/format.ts'
import { download } from '../../ui/download.ts'
import { VisuallyHidden } from '../../ui/text.tsx'
import { exportFileName, type ExportForm, exportForms, writeInPieces } from './export-report.ts'
import exportMenuCss from '../../ui/export-menu.module.css'
import menuPopoverCss from '../../ui/menu-popover.module.css'
import { useServices } from '../../data/core/services.ts'

/** A report that takes long to write. */
interface Writing {
  readonly form: ExportForm
  readonly bytes: number
  readonly cancel: () => void
}

/** Takes the whole report along, whatever is filtered; undefined where there is none yet. */
export function ExportMenu({ report }: { report: ScanReport | undefined }): ReactElement {
  const { clock } = useServices()
  const [isOpen, setOpen] = useState(false)
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
        tell: (bytes) => {
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
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="bottom-end"
        width={220}
        shadow="sm"
        trapFocus
        returnFocus
        portalProps={{ target: '#main' }}
      >
        <Popover.Target>
          <Button
            variant="default"
            disabled={report === undefined && writing === undefined}
            onClick={() => {
              if (writing === undefined) setOpen(!isOpen)
              else writing.cancel()
            }}
          >
            {writing === undefined ? (
              <>
                Export
                <span className={menuPopoverCss.caret} aria-hidden="true" />
              </>
            ) : (
              `Cancel export: ${bytesText(writing.bytes)} so far`
            )}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Export">
          <ul className={exportMenuCss.list}>
            {exportForms.map((form) => (
              <li key={form.name}>
                <button
                  type="button"
                  className={exportMenuCss.choice}
                  onClick={() => {
                    setOpen(false)
                    if (report !== undefined) void take(report, form)
                  }}
                >
                  <span>{form.name}</span>
                  <Text span inherit c="dimmed" fz="xs">
                    {form.use}
                  </Text>
                </button>
              </li>
            ))}
          </ul>
        </Popover.Dropdown>
      </Popover>
      <span role="status">
        {writing !== undefined && <VisuallyHidden>Writing {writing.form.name}</VisuallyHidden>}
      </span>
    </>
  )
}
