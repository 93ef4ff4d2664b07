/** The sign of the app: one iron arch, and the deck that it carries. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true" strokeLinecap="round">
      <path d="M1.5 8.5h21" stroke="var(--accent)" strokeWidth="2.4" />
      <path d="M2.5 19.5a9.5 9.5 0 0 1 19 0" stroke="currentColor" strokeWidth="2.4" />
      <path d="M6 9v3.2M12 9v.6M18 9v3.2" stroke="currentColor" strokeWidth="1.6" opacity="0.75" />
    </svg>
  );
}
