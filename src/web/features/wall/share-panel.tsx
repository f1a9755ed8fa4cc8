import { type ReactElement, useId } from 'react'
import type { Wall } from '../../../protocol/wall.ts'
import { CopyButton } from '../../ui/copy.tsx'
import type { WallSettings } from '../../ui/device-preferences.ts'
import { wallLink, wallYaml } from './wall-link.ts'
import type { PanelProps } from './wall-commands.ts'
import css from './wall-panels.module.css'

/** The wall as a link that carries all of it, and as it stands in the configuration file. */
export function SharePanel({ wall, home, choice: { settings } }: PanelProps): ReactElement {
  const isTurning = settings.rotate.length > 0
  const link = (of: Wall, shown: WallSettings) => new URL(wallLink(of, shown), location.href).href
  return (
    <>
      <Text
        label="A link that opens this wall anywhere"
        text={link(wall, { ...settings, rotate: [] })}
        lines={isTurning ? 2 : 4}
      />
      {isTurning && (
        <Text
          label="A link that opens it with those that it takes turns with"
          text={link(home, settings)}
          lines={2}
        />
      )}
      <Text
        label="For the configuration file of the proxy"
        text={wallYaml(wall)}
        lines={lineCount(wall)}
      />
      {isTurning && (
        <p className={css.hint}>
          Walls that were saved on this device take turns elsewhere once they stand in the
          configuration file there.
        </p>
      )}
      {wall.tiles.length === 0 && (
        <p className={css.hint}>
          This wall has no tiles of its own: wherever it is opened, it shows one for each project
          that arrives there.
        </p>
      )}
    </>
  )
}

function lineCount({ tiles }: Wall): number {
  return Math.min(14, 4 + 2 * tiles.length)
}

function Text({
  label,
  text,
  lines,
}: {
  label: string
  text: string
  lines: number
}): ReactElement {
  const id = useId()
  return (
    <>
      <div className={css.row}>
        <label htmlFor={id}>{label}</label>
        <CopyButton text={text} what={label.toLowerCase()} />
      </div>
      <textarea id={id} className={css.text} readOnly rows={lines} value={text} />
    </>
  )
}
