import {
  Divider,
  Drawer,
  Modal,
  NavLink as DrawerLink,
  SegmentedControl,
  Stack,
  Title,
} from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { Fragment, type ReactElement, type ReactNode, useState } from 'react'
import { matchPath, NavLink, useLocation } from 'react-router'
import { Queries } from '../data/core/queries.tsx'
import { type KeyGroup, KeyHint, useKeyRegistry } from '../ui/keys.tsx'
import { Fact, Facts } from '../ui/page.tsx'
import { useDeviceChoices } from './device-choices.ts'
import { detailPages, pages } from './pages.ts'
import { useMayCreateTokens } from './servers.tsx'

/** The pages, where the header has no room for them, and below them the choices of this device. */
export function PageDrawer({
  onClose,
  children,
}: {
  onClose: () => void
  /** Who is signed in. */
  children: ReactNode
}): ReactElement {
  // Back closes it; what is opened while an earlier page still loads stays when that comes.
  useWindowEvent('popstate', onClose)
  return (
    <Drawer
      opened
      onClose={onClose}
      // Of all links, those of the menu in it as well.
      onClick={({ target }) => {
        if (target instanceof Element && target.closest('a') !== null) onClose()
      }}
      title="Sightline"
      position="left"
      size={280}
    >
      <Queries>
        <DrawerPages />
      </Queries>
      <Stack mt="lg" gap="md">
        {useDeviceChoices().map(({ name, options }) => (
          <div key={name}>
            <Title order={3} c="dimmed" mb="xs">
              {name}
            </Title>
            <SegmentedControl
              fullWidth
              aria-label={name}
              data={options.map(({ label }) => label)}
              value={options.find(({ isChosen }) => isChosen)?.label ?? ''}
              onChange={(chosen) => {
                options.find(({ label }) => label === chosen)?.choose()
              }}
            />
          </div>
        ))}
        {children}
      </Stack>
    </Drawer>
  )
}

function DrawerPages(): ReactElement {
  const { pathname } = useLocation()
  const mayCreateTokens = useMayCreateTokens()
  const groups = [...new Set(pages.map(({ group }) => group))]
  const links = groups.map((of) =>
    [...pages, ...detailPages].filter(
      ({ path, group }) => group === of && (path !== '/tokens' || mayCreateTokens),
    ),
  )
  return (
    <nav aria-label="All pages">
      {links.map((group, index) => (
        <Fragment key={group[0]?.path}>
          {index > 0 && <Divider my={4} />}
          {group.map(({ path, label }) => (
            <DrawerLink
              key={path}
              component={NavLink}
              to={path}
              end={path === '/'}
              label={label}
              active={matchPath({ path, end: path === '/' }, pathname) !== null}
            />
          ))}
        </Fragment>
      ))}
    </nav>
  )
}

/** The keys that work at this moment. */
export function KeyList({ onClose }: { onClose: () => void }): ReactElement {
  const registry = useKeyRegistry()
  const [groups] = useState(() => merged(registry.groups()))
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size={520}>
      <Stack gap="lg">
        {groups.map(({ heading, bindings }) => (
          <section key={heading}>
            <Title order={3} c="dimmed" mb="xs">
              {heading}
            </Title>
            <Facts>
              {bindings.map(({ keys, label }) => (
                <Fact key={keys[0]} name={<Keys keys={keys} />}>
                  {label}
                </Fact>
              ))}
            </Facts>
          </section>
        ))}
      </Stack>
    </Modal>
  )
}

function Keys({ keys }: { keys: readonly string[] }): ReactElement {
  return (
    <>
      {keys.map((key, index) => (
        <span key={key}>
          {index > 0 && ' or '}
          <KeyHint keys={key} />
        </span>
      ))}
    </>
  )
}

/** Several parts of a screen may put keys under the same heading. */
function merged(groups: readonly KeyGroup[]): readonly KeyGroup[] {
  const headings = [...new Set(groups.map(({ heading }) => heading))]
  return headings
    .map((heading) => ({
      heading,
      bindings: groups.filter((group) => group.heading === heading).flatMap((g) => g.bindings),
    }))
    .filter(({ bindings }) => bindings.length > 0)
}
