import { Button, Popover } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import {
  boardCsv,
  boardJson,
  boardMarkdown,
  type BoardReport,
} from '../../../policy/board-export.ts'
import css from './board-headline.module.css'

const forms = [
  {
    name: 'Markdown',
    use: 'for a ticket',
    ending: 'md',
    type: 'text/markdown',
    write: boardMarkdown,
  },
  {
    name: 'CSV',
    use: 'for spreadsheets',
    ending: 'csv',
    type: 'text/csv',
    // Spreadsheets take it for the encoding of their region, unless it begins with this mark.
    write: (report: BoardReport) => `\uFEFF${boardCsv(report)}`,
  },
  { name: 'JSON', use: 'for programs', ending: 'json', type: 'application/json', write: boardJson },
] as const

/** Takes the whole board along, whatever is filtered. */
export function BoardExport({ report }: { report: () => BoardReport }): ReactElement {
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
          onClick={() => {
            setOpen(!isOpen)
          }}
        >
          Export
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Export">
        <ul className={css.forms}>
          {forms.map(({ name, use, ending, type, write }) => (
            <li key={name}>
              <button
                type="button"
                className={css.form}
                onClick={() => {
                  setOpen(false)
                  const told = report()
                  download(write(told), `${type};charset=utf-8`, `${fileName(told)}.${ending}`)
                }}
              >
                <span>{name}</span>
                <span className={css.dim}>{use}</span>
              </button>
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  )
}

function fileName({ title }: BoardReport): string {
  return `board-${title}`.replace(/[^\w.-]+/g, '-').slice(0, 120)
}

function download(text: string, type: string, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  // The browser has its own hold on it once the download has begun.
  setTimeout(() => {
    URL.revokeObjectURL(link.href)
  }, 60_000)
}
