import type { ReactElement } from 'react'
import {
  boardCsv,
  boardJson,
  boardMarkdown,
  type BoardReport,
} from '../../../policy/board-export.ts'
import { download } from '../../ui/download.ts'
import { MenuPopover } from '../../ui/menu-popover.tsx'
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
  return (
    <MenuPopover label="Export" width={220}>
      {(close) => (
        <ul className={css.forms}>
          {forms.map(({ name, use, ending, type, write }) => (
            <li key={name}>
              <button
                type="button"
                className={css.form}
                onClick={() => {
                  close()
                  const told = report()
                  const file = new Blob([write(told)], { type: `${type};charset=utf-8` })
                  download(file, `${fileName(told)}.${ending}`)
                }}
              >
                <span>{name}</span>
                <span className={css.dim}>{use}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </MenuPopover>
  )
}

function fileName({ title }: BoardReport): string {
  return `board-${title}`.replace(/[^\w.-]+/g, '-').slice(0, 120)
}
