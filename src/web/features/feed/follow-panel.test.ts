import { expect, test } from 'vitest'
import { draftNotice } from './follow-panel.tsx'

const nothing = { text: '', match: undefined }
const shop = { text: 'project:shop', match: () => 'yes' as const }

const followsShop = 'until then the feed follows project:shop'
const showsAll = 'until then all builds are shown.'

test.each([
  [nothing, '', false, undefined],
  [shop, 'project:shop', false, undefined],
  [shop, 'project:core', false, `Press Enter to follow this query; ${followsShop}`],
  [nothing, 'project:core', false, `Press Enter to follow this query; ${showsAll}`],
  [shop, '', false, 'Press Enter to show all builds again.'],
  [shop, 'projct:core', true, `Not followed while it has errors; ${followsShop}`],
  [nothing, 'projct:core', true, `Not followed while it has errors; ${showsAll}`],
])(
  '%j is followed until “%s” is run, if it has no errors (%j): “%s”',
  (follow, draft, hasErrors, notice) => {
    expect(draftNotice({ follow, draft, hasErrors })).toBe(notice)
  },
)

test('a link to a query with errors shows that it narrows nothing', () => {
  const broken = { text: 'projct:core', match: undefined }
  expect(draftNotice({ follow: broken, draft: 'projct:core', hasErrors: true })).toBe(
    'Not followed because of errors: all builds are shown.',
  )
})

test('a long query is shown by its beginning', () => {
  const long = { text: `tag:${'x'.repeat(200)}`, match: () => 'yes' as const }
  expect(draftNotice({ follow: long, draft: 'tag:a', hasErrors: false })).toMatch(/tag:x{76}…$/)
})
