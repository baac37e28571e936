type Owner = { run: string; user: number }
type Store<Found> = {
  findRun(run: string): Promise<{ id: number } | null>
  keep(owner: { run: string; userId: number }, found: Found): Promise<{ id: number }>
}

/**
 * Makes an analysis and stores what it found; nothing when it throws. A run that has stored its record already, and is
 * repeated because its answer was lost with its worker, is not made again.
 */
export async function record<Found>(
  store: Store<Found>,
  { run, user }: Owner,
  analyse: () => Promise<Found>,
): Promise<{ id: number }> {
  return (await store.findRun(run)) ?? (await store.keep({ run, userId: user }, await analyse()))
}
