import { z } from 'zod'
import { readPackageUrl } from '../../protocol/package-url.ts'
import { check } from '../../search/check.ts'
import { parse } from '../../search/parse.ts'

// Messages go on from the name of the place, such as `savedQueries[2].query`.

const text = z.string({
  error: ({ input }) =>
    input === undefined ? ' is missing.' : ' must be a text: put it in quotes.',
})
const filledText = text.refine((value) => value.trim() !== '', { error: ' is empty.' })

const query = filledText.superRefine((value, context) => {
  for (const { severity, message, from, to } of check(parse(value))) {
    if (severity !== 'error') continue
    const part = value.slice(from, to)
    const where = part === '' || part === value ? '' : ` (at “${part}”)`
    context.addIssue({ code: 'custom', message: `: ${message}${where}` })
  }
})

const SavedQueryEntry = z.strictObject(
  { name: filledText, query, description: text.optional() },
  { error: ' must have a name and a query.' },
)
const publicPem = filledText.refine((pem) => !pem.includes('PRIVATE KEY'), {
  error: ' holds a private key. Only the public key belongs here.',
})

const TrustedKeyEntry = z
  .strictObject(
    {
      pem: publicPem.optional(),
      pemBase64: filledText
        .refine(
          (base64) => !Buffer.from(base64, 'base64').toString('latin1').includes('PRIVATE KEY'),
          {
            error: ' holds a private key. Only the public key belongs here.',
          },
        )
        .optional(),
    },
    { error: ' must have pem or pemBase64.' },
  )
  .refine(({ pem, pemBase64 }) => (pem === undefined) !== (pemBase64 === undefined), {
    error: ' must have one of pem and pemBase64.',
  })

const PackageEntry = z.strictObject(
  {
    purl: filledText.superRefine((value, context) => {
      const read = readPackageUrl(value)
      if (!read.ok) context.addIssue({ code: 'custom', message: `: ${read.mistake}` })
      else if (read.purl.version === undefined) {
        context.addIssue({ code: 'custom', message: ' has no version.' })
      }
    }),
    sha256: text.regex(/^[0-9a-f]{64}$/i, ' must be 64 hexadecimal digits.'),
    repositoryUrl: filledText,
    scans: z.array(filledText, { error: ' must be a list of names.' }).default([]),
  },
  { error: ' must have a purl, a sha256 and a repositoryUrl.' },
)

/** The file as a whole. */
export const ConfigFile = z.strictObject(
  {
    savedQueries: z
      .array(SavedQueryEntry, { error: ' must be a list of queries, each with a name.' })
      .default([]),
    trustedKeys: z
      .record(z.string(), TrustedKeyEntry, { error: ' must be a map of names to keys.' })
      .default({}),
    packages: z.array(PackageEntry, { error: ' must be a list of packages.' }).default([]),
  },
  { error: 'The file must be a map such as “savedQueries: []”.' },
)

/** The keys that may stand at the place of a file where others do. */
export function keysAt(path: readonly (string | number)[]): readonly string[] {
  if (path.length === 0) return Object.keys(ConfigFile.shape)
  switch (path[0]) {
    case 'trustedKeys':
      return Object.keys(TrustedKeyEntry.shape)
    case 'packages':
      return Object.keys(PackageEntry.shape)
    case undefined:
    default:
      return Object.keys(SavedQueryEntry.shape)
  }
}
