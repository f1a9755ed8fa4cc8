import { Drawer, Group, Modal, NavLink as DrawerLink, Stack, Title } from '@mantine/core'
import { lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react'
import { matchPath, NavLink, useLocation } from 'react-router'
import { type KeyGroup, KeyHint, useKeyRegistry } from '../ui/keys.tsx'
import { Fact, Facts } from '../ui/page.tsx'
import { pages } from './pages.ts'

const TokensLink = lazy(async () => ({ default: (await import('./servers.tsx')).TokensLink }))

/** The pages, where the header has no room for them, and below them the switches of this device. */
export function PageDrawer({
  onClose,
  children,
}: {
  onClose: () => void
  children: ReactNode
}): ReactElement {
  const { pathname } = useLocation()
  const [opened] = useState(pathname)
  return (
    <Drawer
      opened={opened === pathname}
      onClose={onClose}
      title="Sightline"
      position="left"
      size={280}
    >
      <nav aria-label="All pages">
        {pages.map(({ path, label }) => (
          <DrawerLink
            key={path}
            component={NavLink}
            to={path}
            end={path === '/'}
            label={label}
            active={matchPath({ path, end: path === '/' }, pathname) !== null}
            onClick={onClose}
          />
        ))}
        <Suspense>
          <TokensLink onDrawerClose={onClose} />
        </Suspense>
      </nav>
      <Group mt="xl" gap="sm">
        {children}
      </Group>
    </Drawer>
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
