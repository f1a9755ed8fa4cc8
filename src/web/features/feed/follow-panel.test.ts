import { expect, test } from 'vitest'
import { draftNotice } from './follow-panel.tsx'

const nothing = { text: '', match: undefined }
const shop = { text: 'project:shop', match: () => 'yes' as const }

test('there is nothing to say while what is written is what is followed', () => {
  expect(draftNotice({ follow: nothing, draft: '', hasErrors: false })).toBeUndefined()
  expect(draftNotice({ follow: shop, draft: 'project:shop', hasErrors: false })).toBeUndefined()
})

test('what is written is not followed before it is run', () => {
  expect(draftNotice({ follow: shop, draft: 'project:core', hasErrors: false })).toBe(
    'Press Enter to follow this query; until then the feed follows project:shop',
  )
  expect(draftNotice({ follow: nothing, draft: 'project:core', hasErrors: false })).toBe(
    'Press Enter to follow this query; until then all builds are shown.',
  )
  expect(draftNotice({ follow: shop, draft: '', hasErrors: false })).toBe(
    'Press Enter to show all builds again.',
  )
})

test('a query with errors leaves the last good one in force, with a notice', () => {
  expect(draftNotice({ follow: shop, draft: 'projct:core', hasErrors: true })).toBe(
    'Not followed while it has errors; until then the feed follows project:shop',
  )
  expect(draftNotice({ follow: nothing, draft: 'projct:core', hasErrors: true })).toBe(
    'Not followed while it has errors; until then all builds are shown.',
  )
})

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
