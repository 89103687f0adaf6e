"""The C interface for Python's ctypes, read from the header as it is: structs, constants and functions."""
import ctypes, re

NUMBERS = {
    "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8, "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t, "int": ctypes.c_int, "float": ctypes.c_float,
    "double": ctypes.c_double, "char": ctypes.c_char, "GammondCode": ctypes.c_int32,
}


class Header:
    """What a header declares: `types` has its structs, `values` its constants; `load` opens a library with its functions."""

    def __init__(self, path):
        with open(path) as file:
            text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)
        text = re.sub(r"^\s*#[^\n]*\n", "\n", text, flags=re.M)
        self.types = dict(NUMBERS)
        self.values = {name: int(value) for name, value in re.findall(r"\b([A-Z_]+) = (\d+),", text)}
        callback = r"typedef int \(\*(\w+)\)\(([^)]*)\);"
        struct = r"typedef struct (\w+) \{(.*?)\} \w+;"
        for found in re.finditer(f"{struct}|{callback}", text, flags=re.S):
            name, members, function, arguments = found.groups()
            if name:
                fields = [self.member(one) for one in members.split(";") if one.strip()]
                self.types[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
            else:
                types = [self.member(one)[1] for one in arguments.split(",")]
                self.types[function] = ctypes.CFUNCTYPE(ctypes.c_int, *types)
        signature = r"^([a-zA-Z_][\w ]*[ *])(gammond_\w+)\(([^)]*)\);"
        self.functions = re.findall(signature, text, flags=re.M)

    def member(self, text):
        """A member or an argument, such as `const char *name` or `uint8_t from[4]`: its name and type."""
        words = re.sub(r"\b(const|struct)\b", "", text).replace("*", " * ").split()
        name, _, count = words[-1].partition("[")
        if words[0] == "void":
            return name, ctypes.c_void_p
        base = self.types[words[0]]
        stars = words.count("*")
        if stars:
            base = ctypes.c_char_p if (words[0], stars) == ("char", 1) and "const" in text else ctypes.POINTER(base)
            for _ in range(stars - 1):
                base = ctypes.POINTER(base)
        return name, base * int(count.rstrip("]")) if count else base

    def load(self, path):
        """Opens a library; its functions check their arguments."""
        library = ctypes.CDLL(path)
        for result, name, arguments in self.functions:
            function = getattr(library, name)
            function.restype = self.member(f"{result} x")[1]
            arguments = [] if arguments.strip() == "void" else arguments.split(",")
            function.argtypes = [self.member(one)[1] for one in arguments]
        return library
