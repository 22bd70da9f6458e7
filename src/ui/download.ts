/** Saves a file. Returns how to release it afterwards. */
export function download(file: Blob, name: string): () => void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  return () => URL.revokeObjectURL(address);
}
