import { type ReactElement, useState } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import { countOf } from '../../../protocol/count.ts'
import { download } from '../../ui/download.ts'
import { MenuPopover } from '../../ui/menu-popover.tsx'
import { toast } from '../../ui/toast.ts'
import type { ShownColumn } from './column-choice.ts'
import { exportBuilds, type ExportForm } from './export-builds.ts'
import css from './menu-list.module.css'

const forms = [
  { form: 'csv', name: 'CSV', use: 'for spreadsheets' },
  { form: 'ndjson', name: 'NDJSON', use: 'for programs, one build a line' },
] as const satisfies readonly { form: ExportForm; name: string; use: string }[]

/** Takes along what was found: the builds and columns as they are shown. */
export function ExportMenu({
  builds,
  columns,
  isComplete,
  onLoadAll,
}: {
  builds: readonly Facts[]
  columns: readonly ShownColumn[]
  isComplete: boolean
  onLoadAll: () => void
}): ReactElement {
  const [isWriting, setWriting] = useState(false)

  async function save(form: ExportForm): Promise<void> {
    setWriting(true)
    try {
      const names = columns.map(({ name }) => name)
      download(await exportBuilds(form, builds, names, pause), `builds.${form}`)
      await toast(`${countOf(builds.length, 'build')} exported.`)
    } finally {
      setWriting(false)
    }
  }

  return (
    <MenuPopover
      label={isWriting ? 'Exporting…' : 'Export'}
      isDisabled={isWriting || builds.length === 0}
    >
      {(close) => (
        <ul className={css.list}>
          {forms.map(({ form, name, use }) => (
            <li key={form} className={css.item}>
              <button
                type="button"
                className={css.choice}
                onClick={() => {
                  close()
                  void save(form)
                }}
              >
                <span className={css.name}>{`${name} of ${countOf(builds.length, 'build')}`}</span>
                <span className={css.dim}>{`${use}, with the columns shown`}</span>
              </button>
            </li>
          ))}
          {!isComplete && (
            <li className={css.item}>
              <button
                type="button"
                className={css.choice}
                onClick={() => {
                  close()
                  onLoadAll()
                }}
              >
                <span className={css.name}>Load all first</span>
                <span className={css.dim}>There may be more than are loaded so far.</span>
              </button>
            </li>
          )}
        </ul>
      )}
    </MenuPopover>
  )
}

/** Lets the browser draw and listen before the work goes on. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
