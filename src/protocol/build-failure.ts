import * as z from 'zod/mini'

/**
 * Why a build failed, in short: the innermost exception that has a message, and where. Texts are cut
 * at 1,000 characters.
 */
export const BuildFailure = z.looseObject({
  message: z.string(),
  /** The class of the exception, as the build tool names it. */
  exception: z.optional(z.string()),
  /** The path of the task, or the goal with its project. */
  task: z.optional(z.string()),
  /**
   * Where tests failed, one of them; then the message and the exception are its own, as
   * far as events give them.
   */
  test: z.optional(
    z.looseObject({
      className: z.optional(z.string()),
      name: z.string(),
      /** How many others failed in the same task. */
      others: z.int(),
    }),
  ),
})
export type BuildFailure = z.infer<typeof BuildFailure>
