import { Group, Stack, Text, Textarea } from '@mantine/core'
import { type ReactElement, useId } from 'react'
import type { Wall } from '../../../protocol/wall.ts'
import { basePath } from '../../ui/base-path.ts'
import { CopyButton } from '../../ui/copy.tsx'
import type { WallSettings } from './wall-settings.ts'
import type { PanelProps } from './wall-commands.ts'
import { wallLink, wallYaml } from './wall-link.ts'

/** The wall as a link that carries all of it, and as it stands in the configuration file. */
export function SharePanel({ wall, home, choice: { settings } }: PanelProps): ReactElement {
  const isRotating = settings.rotate.length > 0
  const link = (of: Wall, shown: WallSettings) =>
    new URL(basePath + wallLink(of, shown).slice(1), location.href).href
  return (
    <Stack gap="lg">
      <Copyable label="Link to this wall" text={link(wall, { ...settings, rotate: [] })} />
      {isRotating && (
        <Copyable label="Link to this wall with its rotation" text={link(home, settings)} />
      )}
      <Copyable label="For the configuration file of the Sightline server" text={wallYaml(wall)} />
      {isRotating && (
        <Text c="dimmed">
          Walls saved on this device rotate on other devices only if they are in the configuration
          file.
        </Text>
      )}
      {wall.tiles.length === 0 && (
        <Text c="dimmed">This wall has no tiles of its own. It shows one tile per project.</Text>
      )}
    </Stack>
  )
}

function Copyable({ label, text }: { label: string; text: string }): ReactElement {
  const id = useId()
  return (
    <div>
      <Group justify="space-between">
        <Text component="label" htmlFor={id} fw={600}>
          {label}
        </Text>
        <CopyButton text={text} what={label.toLowerCase()} />
      </Group>
      <Textarea id={id} ff="monospace" readOnly autosize minRows={2} maxRows={14} value={text} />
    </div>
  )
}
