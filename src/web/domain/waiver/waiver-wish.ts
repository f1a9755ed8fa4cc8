import * as z from 'zod/mini'
import { ApprovalRule, Waiver, WaiverScope } from '../../../protocol/waiver.ts'

/** A place that a waiver is for, with the package and the scan as text. */
const WaiverPlace = z.object({ of: WaiverScope, text: z.string() })

/** A policy, where it can be waived, and a sentence about its failures that can't be. */
const WaiverChoice = z.object({
  policy: z.string(),
  places: z.array(WaiverPlace),
  leftOut: z.optional(z.string()),
})
export type WaiverChoice = z.infer<typeof WaiverChoice>

export const WaiverWish = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('give'),
    /** Of several one is chosen. */
    choices: z.array(WaiverChoice),
    /** The longest that a waiver may last, ms. */
    longestMs: z.number(),
    approval: z._default(ApprovalRule, 'none'),
    /** The waiver of another version that it continues. */
    carriedFrom: z.optional(Waiver),
  }),
  z.object({ is: z.literal('renew'), waivers: z.array(Waiver), longestMs: z.number() }),
  z.object({ is: z.literal('end'), waivers: z.array(Waiver) }),
])
export type WaiverWish = z.infer<typeof WaiverWish>
