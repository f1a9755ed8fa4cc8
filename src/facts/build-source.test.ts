import { expect, test } from 'vitest'
import { commitsBetween } from './build-source.ts'

const [from, to] = [
  '9592ca0b42d8ebd125d7c3bc531446d515f6e341',
  'b493cdd82ef0c48587e3854d3282bb770d6685e6',
]

function built(commit: string, repository: string) {
  return {
    values: [
      { name: 'Git Commit ID', value: commit },
      { name: 'Git repository', value: repository },
    ],
  }
}

test.each([
  ['https://github.com/acme/shop.git', `https://github.com/acme/shop/compare/${from}...${to}`],
  [
    'git@github.acme.example:acme/shop.git',
    `https://github.acme.example/acme/shop/compare/${from}...${to}`,
  ],
  ['ssh://git@gitlab.com/acme/a/shop', `https://gitlab.com/acme/a/shop/-/compare/${from}...${to}`],
  [
    'https://bitbucket.org/acme/shop',
    `https://bitbucket.org/acme/shop/branches/compare/${to}..${from}`,
  ],
  ['https://git.example/acme/shop', undefined],
  ['javascript:alert(1)//github.com/a', undefined],
  ['https://github.com/../../evil', undefined],
  ['https://user:pass@github.com/acme/shop', undefined],
])('commits of %s', (repository, url) => {
  expect(commitsBetween(built(from, repository), built(to, repository))).toEqual({
    from: '9592ca0b42',
    to: 'b493cdd82e',
    url,
  })
})

test('there are none where a build names no commit, or both the same', () => {
  expect(commitsBetween({}, built(to, ''))).toBeUndefined()
  expect(commitsBetween(built(to, ''), built(to, ''))).toBeUndefined()
  const elsewhere = commitsBetween(
    built(from, 'https://github.com/a/b'),
    built(to, 'https://github.com/c/d'),
  )
  expect(elsewhere?.url).toBeUndefined()
})
