/** A piece of work with a name. */
export interface PackingTask<Value> {
  readonly name: string
  readonly run: () => Promise<Value>
}

/** The start or the end of a task, and how many tasks have ended. */
export interface PackingProgress {
  readonly name: string
  readonly event: 'begins' | 'ends'
  readonly ended: number
  readonly of: number
}

/**
 * Runs at most `limit` tasks at once, and yields their values in the order of the tasks, each as soon as the earlier ones exist. No further
 * task starts after a failure.
 */
export async function* runInParallel<Value>(
  tasks: readonly PackingTask<Value>[],
  limit: number,
  observe: (progress: PackingProgress) => void = () => {},
): AsyncGenerator<Value> {
  let [next, ended, hasFailed] = [0, 0, false]
  const settled = tasks.map(() => Promise.withResolvers<Value>())
  // A failure is thrown below, in the order of the tasks.
  for (const { promise } of settled) promise.catch(() => {})
  const work = async () => {
    while (next < tasks.length && !hasFailed) {
      const index = next++
      const { name, run } = tasks[index]!
      observe({ name, event: 'begins', ended, of: tasks.length })
      try {
        settled[index]!.resolve(await run())
        observe({ name, event: 'ends', ended: ++ended, of: tasks.length })
      } catch (error) {
        hasFailed = true
        for (const { reject } of settled) reject(error)
      }
    }
  }
  const workers = Promise.all(Array.from({ length: limit }, work))
  try {
    for (const { promise } of settled) yield await promise
  } finally {
    hasFailed = true
    await workers
  }
}
