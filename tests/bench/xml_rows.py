"""The number of rows of an xctrace export, by ElementTree."""
import sys
import xml.etree.ElementTree

count = 0
for _, element in xml.etree.ElementTree.iterparse(sys.argv[1]):
    if element.tag == "row":
        count += 1
        element.clear()
print(count)
