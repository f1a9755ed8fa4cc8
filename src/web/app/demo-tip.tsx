import { Button, CloseButton, Group, Portal } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link, type Location, matchPath, useLocation } from 'react-router'
import type { ProxyConfig } from '../../protocol/proxy-config.ts'
import { usePreferences, usePreferenceStore } from '../ui/device-preferences.ts'
import layout from '../ui/page.module.css'
import css from './shell.module.css'
import { readPackageReference } from '../../protocol/package-reference.ts'
import { packageLink } from '../domain/package/package-links.ts'

/** What is worth a try on this page of the demo; nothing once it is closed on this device. */
export function DemoTip({ packages }: Pick<ProxyConfig, 'packages'>): ReactElement | null {
  const here = useLocation()
  const store = usePreferenceStore()
  const { closedTips = [] } = usePreferences()
  const tip = tipOf(here, packages)
  if (tip === undefined || closedTips.includes(tip.path)) return null
  const close = (): void => {
    store.change({ closedTips: [...closedTips, tip.path] })
  }
  return (
    <Portal>
      <Group
        component="aside"
        className={`${layout.box} ${css.tip}`}
        gap={8}
        px={12}
        py={8}
        wrap="nowrap"
        align="flex-start"
        aria-label="Tip"
      >
        <Group gap={8}>
          <span>{tip.text}</span>
          <Button component={Link} to={tip.to} variant="light" onClick={close}>
            {tip.action}
          </Button>
        </Group>
        <CloseButton aria-label="Close this tip" onClick={close} />
      </Group>
    </Portal>
  )
}

/** One thing to try on a page of the demo: what there is to see, and where. */
interface Tip {
  readonly path: string
  readonly text: string
  readonly action: string
  readonly to: string
}

const builds = (query: string, more = ''): string => `/builds?q=${encodeURIComponent(query)}${more}`

/** What the demo company has to show (server/embedded/content/story.ts), page by page. */
function tipsOf(packages: ProxyConfig['packages']): readonly Tip[] {
  const scan = (purl: string, name?: string): string => {
    const found = packages.find((one) => one.purl.startsWith(purl))
    const read = readPackageReference(found?.purl ?? '')
    return found === undefined || !read.ok
      ? '/packages'
      : packageLink(read.reference.address, found, name)
  }
  const failuresOfAll = builds('buildOutcome:failed buildStartTime>-7d', '&view=groups&by=failure')
  const failuresOfCheckout = builds('project:checkout', '&view=groups&by=failure')
  return [
    {
      path: '/',
      text: 'checkout is failing on main.',
      action: 'See its failed builds',
      to: builds('project:checkout buildOutcome:failed value:"Git branch=main"'),
    },
    {
      path: '/builds',
      text: 'Which failure breaks the most builds?',
      action: 'Group failures of the last 7 days by cause',
      to: failuresOfAll,
    },
    {
      path: '/builds/:buildId',
      text: 'Do other builds fail like this one?',
      action: 'Group failures of the last 7 days by cause',
      to: failuresOfAll,
    },
    {
      path: '/tests',
      text: 'A test of payments is flaky.',
      action: 'See the tests of payments',
      to: '/tests?q=project%3Apayments',
    },
    {
      path: '/packages',
      text: 'payments 3.1.0 has a vulnerable library.',
      action: "See why it can't be released",
      to: scan('pkg:maven/com.acme.payments', 'release'),
    },
    ...['/packages/:type/:name/:version', '/packages/:type/:namespace/:name/:version'].flatMap(
      (path) =>
        [path, `${path}/policy-scans/:scan`].map((one) => ({
          path: one,
          text: 'The next release consists of many packages.',
          action: 'See the whole next release',
          to: '/board/release',
        })),
    ),
    {
      path: '/board',
      text: 'The next release is not ready.',
      action: 'See which packages hold it back',
      to: '/board/release',
    },
    {
      path: '/board/release',
      text: 'checkout 2.5.0 has no evidence yet.',
      action: 'See why its builds fail',
      to: failuresOfCheckout,
    },
    {
      path: '/waivers',
      text: 'To waive a policy, open a scan where it fails.',
      action: 'Open a scan of payments',
      to: scan('pkg:maven/com.acme.payments', 'release'),
    },
    {
      path: '/publish',
      text: 'Attestations are made from builds.',
      action: 'Select builds of payments',
      to: builds('project:payments buildOutcome:succeeded'),
    },
    {
      path: '/decode',
      text: 'checkout 2.4.0 has signed attestations.',
      action: 'Open its evidence',
      to: scan('pkg:oci/checkout@2.4.0', 'release'),
    },
    {
      path: '/walls',
      text: 'Walls can be read from across the room.',
      action: 'Open the wall of all projects',
      to: '/wall',
    },
    {
      path: '/activity',
      text: 'A pipeline evaluated the next release.',
      action: 'See the result',
      to: '/board/release',
    },
    {
      path: '/status',
      text: 'You are looking at demo data.',
      action: 'Connect your server',
      to: '/status#connect',
    },
  ]
}

/** The tip of the page at this address; undefined where there is none, or where it leads to what is shown. */
export function tipOf(
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  packages: ProxyConfig['packages'],
): Tip | undefined {
  const tip = tipsOf(packages).find(({ path }) => matchPath(path, pathname) !== null)
  const [path, query] = tip?.to.split('?') ?? []
  const isHere = path === pathname && isSameQuery(query, search)
  // Who has grouped failures already need not be shown how.
  const isDone = pathname === '/builds' && new URLSearchParams(search).get('by') === 'failure'
  return isHere || isDone ? undefined : tip
}

function isSameQuery(one: string | undefined, other: string): boolean {
  return new URLSearchParams(one).toString() === new URLSearchParams(other).toString()
}
