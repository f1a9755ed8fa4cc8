import { Drawer, Group, Modal, Stack, Table, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactElement, useId, useState } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { Fact, Facts } from '../../ui/page.tsx'
import { KeyHint, useKeyRegistry } from '../../ui/keys.tsx'
import { TilePeopleControls } from '../../domain/wall/tile-people.tsx'
import type { Wall } from '../../../protocol/wall.ts'
import { basePath } from '../../ui/base-path.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { useAct, useFreshQuery } from '../../data/core/queries.tsx'
import { useServices } from '../../data/core/services.ts'
import { confirmScreen, revokeScreen, screensQuery } from '../../data/wall/screens.ts'
import { useMay } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import type { PanelProps, WallPanel } from './wall-commands.ts'
import css from './wall.module.css'
import { wallLink, type WallSettings, wallYaml } from './wall-link.ts'

const headings: Record<WallPanel, string> = {
  people: 'Failing tiles',
  settings: 'Wall settings',
  share: 'Share this wall',
  screens: 'Screens',
  keys: 'Keyboard shortcuts',
}

const SettingsPanel = lazyPart(async () => (await import('./settings-panel.tsx')).SettingsPanel, {
  waiting: () => <p>Loading…</p>,
})

/** The panel that is open above the wall: settings at the side, as each change is seen at once. */
export function WallPanels({ panel, ...props }: PanelProps & { panel: WallPanel }): ReactElement {
  const Frame = panel === 'settings' ? Drawer : Modal
  return (
    <Frame
      opened
      title={headings[panel]}
      size={panel === 'settings' ? 400 : 560}
      classNames={{ content: css.panel }}
      overlayProps={{ backgroundOpacity: panel === 'settings' ? 0 : 0.5 }}
      onClose={props.onClose}
    >
      {panel === 'people' && <PeoplePanel {...props} />}
      {panel === 'settings' && <SettingsPanel {...props} />}
      {panel === 'share' && <SharePanel {...props} />}
      {panel === 'screens' && <ScreensPanel />}
      {panel === 'keys' && <KeysPanel />}
    </Frame>
  )
}

/** The keys that work on a wall. */
function KeysPanel(): ReactElement {
  const registry = useKeyRegistry()
  const [groups] = useState(registry.groups)
  return (
    <Facts>
      {groups
        .flatMap(({ bindings }) => bindings)
        .map(({ keys, label }) => (
          <Fact key={keys[0]} name={<KeyHint keys={keys[0]} />}>
            {label}
          </Fact>
        ))}
    </Facts>
  )
}

/** The failing tiles of a wall, who is on each, and which of them sleep. */
function PeoplePanel({ placed, tile: opened }: PanelProps): ReactElement {
  const isFailing = ({ status, claimKey }: PanelProps['placed'][number]) =>
    status === 'failing' && claimKey !== undefined
  const failing = placed.filter(isFailing)
  // What somebody writes of a tile stays when that succeeds meanwhile, since whenever it failed.
  const [listed, setListed] = useState<ReadonlySet<string>>(new Set())
  if (failing.some(({ key }) => !listed.has(key)))
    setListed(new Set([...listed, ...failing.map(({ key }) => key)]))
  const shown = placed
    .filter((tile) => isFailing(tile) || listed.has(tile.key))
    // The one at which it was opened comes first.
    .toSorted((a, b) => Number(b.key === opened) - Number(a.key === opened))
  return (
    <Stack gap={16}>
      <Text>
        {failing.length > 0
          ? 'Shown on every screen until the tile succeeds.'
          : 'No tile of this wall is failing.'}
      </Text>
      {shown.map(({ key, title, query, branch, since, status, people = {} }) => (
        <section key={key} aria-label={title}>
          <Text fw={600}>{title}</Text>
          <TilePeopleControls
            title={title}
            tile={{ query, branch, failingSince: since }}
            people={people}
            isOver={status !== 'failing'}
            hasFocus={key === opened}
          />
        </section>
      ))}
    </Stack>
  )
}

/** The wall as a link that carries all of it, and as it stands in the configuration file. */
function SharePanel({ wall, home, choice: { settings } }: PanelProps): ReactElement {
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

/** The screens that have a credential of their own: confirm a code, see them, revoke one. */
function ScreensPanel(): ReactElement {
  const { request } = useServices()
  const act = useAct()
  const queries = useQueryClient()
  const { isAllowed } = useMay('manage-screens')
  useFreshQuery('settings', ['screens'], (key) => key === 'screens')
  const screens = useQuery({ ...screensQuery(request), enabled: isAllowed })
  const [code, setCode] = useState('')
  const [name, setName] = useState('')
  const again = () => queries.invalidateQueries({ queryKey: ['screens'] })
  const confirm = useMutation({
    mutationFn: () => confirmScreen(act, { code, name }),
    onSuccess: () => {
      setCode('')
      setName('')
    },
    // It may be paired although its response was lost.
    onSettled: again,
  })
  const revoke = useMutation({
    mutationFn: (id: string) => revokeScreen(act, id),
    onSettled: again,
  })
  const ended = screens.data?.ended ?? []
  const fault = confirm.error ?? revoke.error ?? screens.error
  return (
    <Stack gap="lg">
      <Text c="dimmed">
        A wall that isn't signed in shows a code. Enter the code to give that screen read-only
        access to builds until you revoke it or it isn't used for 90 days.
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          revoke.reset()
          confirm.mutate()
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Code on the screen"
            value={code}
            autoComplete="off"
            data-autofocus
            placeholder="K7RM-4XTN"
            required
            withAsterisk={false}
            w={150}
            onChange={({ currentTarget }) => {
              setCode(currentTarget.value)
            }}
          />
          <TextInput
            label="Screen name"
            value={name}
            placeholder="Third floor, left"
            maxLength={80}
            required
            withAsterisk={false}
            flex={1}
            miw={180}
            onChange={({ currentTarget }) => {
              setName(currentTarget.value)
            }}
          />
          <PermittedButton permission="manage-screens" type="submit" disabled={confirm.isPending}>
            Pair screen
          </PermittedButton>
        </Group>
        <Text role="status" c="bad" inherit>
          {fault?.message ?? ''}
        </Text>
      </form>
      {screens.data?.screens.length === 0 && <Text c="dimmed">No screens are paired.</Text>}
      <Table>
        <Table.Tbody>
          {screens.data?.screens.map(({ id, name: title, by, lastSeenAt }) => (
            <Table.Tr key={id}>
              <Table.Th scope="row" miw={80} style={{ overflowWrap: 'anywhere' }}>
                {title}
              </Table.Th>
              <Table.Td>{`paired by ${by}`}</Table.Td>
              <Table.Td>
                {lastSeenAt === null ? (
                  'never seen'
                ) : (
                  <>
                    {'seen '}
                    <RelativeTime at={lastSeenAt} />
                  </>
                )}
              </Table.Td>
              <Table.Td ta="right">
                <PermittedButton
                  permission="manage-screens"
                  variant="default"
                  aria-label={`Revoke ${title}`}
                  disabled={revoke.isPending}
                  onClick={() => {
                    confirm.reset()
                    revoke.mutate(id)
                  }}
                >
                  Revoke
                </PermittedButton>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {ended.length > 0 && (
        <Text c="dimmed">
          {`Ended, not used for 90 days: ${ended.map(({ name: title }) => title).join(', ')}. To use one again, pair it with the code it shows.`}
        </Text>
      )}
    </Stack>
  )
}
