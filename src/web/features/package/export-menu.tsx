import { Button, Popover } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import type { ScanReport } from '../../../policy/scan-report.ts'
import { exportFileName, type ExportForm, exportForms } from './export-forms.ts'
import css from './scan-tools.module.css'

/** Takes the whole report along, whatever is filtered; undefined where there is none yet. */
export function ExportMenu({ report }: { report: ScanReport | undefined }): ReactElement {
  const [isOpen, setOpen] = useState(false)
  return (
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
          size="xs"
          variant="default"
          className={css.tool}
          disabled={report === undefined}
          onClick={() => {
            setOpen(!isOpen)
          }}
        >
          Export
          <span className={css.caret} aria-hidden="true" />
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Export">
        <ul className={css.list}>
          {exportForms.map((form) => (
            <li key={form.name}>
              <button
                type="button"
                className={css.choice}
                onClick={() => {
                  setOpen(false)
                  if (report !== undefined) download(report, form)
                }}
              >
                <span>{form.name}</span>
                <span className={css.dim}>{form.use}</span>
              </button>
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  )
}

function download(report: ScanReport, { write, type, ending }: ExportForm): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([write(report)], { type }))
  link.download = exportFileName(report, ending)
  link.click()
  // The browser has its own hold on it once the download has begun.
  setTimeout(() => {
    URL.revokeObjectURL(link.href)
  }, 60_000)
}
