/** Loads a provider's library without its warnings about production use and about the runtime's release line. */
export async function startWithoutWarnings<T>(start: () => Promise<T>): Promise<T> {
  const { warn } = console
  console.warn = () => {}
  try {
    return await start()
  } finally {
    console.warn = warn
  }
}
